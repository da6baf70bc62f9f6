"""What the words of a message say: who speaks, about whom, what is stated, when it holds, and whose words they are.

Pure: texts and times go in, dataclasses come out. A turn is cut into sentences with their *standing* (``standing``),
short replies are joined to the question they answer (``answers``), what people leave out is written out in full
(``repair``), sentences are parsed (``english``) and read as clauses (``clauses``) whose subjects are known persons or
things (``people``), and told in the third person (``rewrite``). ``times`` reads expressions of time. Vocabulary and
frames stand in ``tables``.
"""
