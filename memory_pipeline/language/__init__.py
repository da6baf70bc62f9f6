"""What the words of a message say: who speaks, about whom, what is stated, when it holds, and whose words they are.

Pure: texts and times go in, dataclasses come out. A turn is cut into sentences with their *standing* (``standing``),
written out in full where people leave words out (``repair``), parsed (``parser``), and read as clauses (``clauses``)
whose subjects are known persons or things (``people``), told in the third person (``rewrite``). Vocabulary and
frames stand in ``tables/``.
"""
