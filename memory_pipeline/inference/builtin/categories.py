"""What people prefer one of, by category: drinks, editors, languages, means of transport."""

from __future__ import annotations

from memory_pipeline.inference.builtin.lexicon import wordset

CATEGORIES: dict[str, frozenset[str]] = {
    "drink": wordset(
        """
        coffee tea espresso latte cappuccino matcha chai water juice soda cola coke pepsi beer wine whiskey
        whisky gin vodka rum cocktails kombucha decaf milk oat-milk smoothie smoothies lemonade cocoa yerba mate
        """
    ),
    "food": wordset(
        """
        pizza pasta sushi ramen burgers tacos curry salad steak rice noodles bread soup sandwiches
        """
    ),
    "cuisine": wordset(
        """
        italian mexican thai indian chinese japanese korean vietnamese french greek ethiopian lebanese
        mediterranean
        """
    ),
    "editor": wordset(
        """
        vim neovim nvim emacs vscode vs-code sublime atom nano helix zed intellij pycharm webstorm xcode eclipse
        notepad++ cursor jetbrains
        """
    ),
    "programming_language": wordset(
        """
        python javascript typescript rust golang java kotlin scala ruby php perl c c++ c# swift haskell elixir
        erlang clojure julia r lua zig ocaml f# dart matlab
        """
    ),
    "operating_system": wordset("linux windows macos ubuntu debian fedora arch nixos mac android ios"),
    "phone": wordset("iphone pixel samsung galaxy oneplus"),
    "browser": wordset("chrome firefox safari edge brave vivaldi arc opera"),
    "database": wordset(
        """
        postgres postgresql mysql sqlite mongodb mariadb duckdb redis dynamodb cassandra oracle
        """
    ),
    "package_manager": wordset("pip uv poetry conda npm yarn pnpm bun pipenv"),
    "shell": wordset("bash zsh fish powershell nushell"),
    "cloud": wordset("aws azure gcp heroku hetzner digitalocean"),
    "framework": wordset(
        """
        react vue svelte angular django flask fastapi rails laravel nextjs express spring
        """
    ),
    "transport": wordset(
        """
        car bus train bike bicycle metro subway tram walking cycling driving flying taxi uber scooter ferry
        """
    ),
    "pet": wordset("dogs cats dog cat"),
    "season": wordset("summer winter spring autumn fall"),
    "place_to_live": wordset("city countryside suburbs beach mountains"),
    "music": wordset(
        """
        jazz rock pop metal classical techno house hip-hop rap country folk blues indie reggae punk edm
        """
    ),
    "genre": wordset(
        """
        fiction nonfiction non-fiction fantasy sci-fi thrillers mysteries romance biographies comedies horror
        """
    ),
    "sport": wordset(
        """
        running swimming tennis soccer football basketball yoga pilates climbing cycling hiking skiing boxing
        """
    ),
    "time_of_day": wordset("mornings evenings nights morning evening night afternoons"),
    "workplace": wordset("remote office home hybrid"),
    "format": wordset("ebooks e-books audiobooks paperbacks books kindle podcasts video videos text"),
    "meeting": wordset("calls email emails meetings slack texting zoom async"),
    "diet": wordset("vegetarian vegan meat pescatarian"),
    "theme": wordset("dark-mode light-mode dark light"),
}
_CATEGORY_OF = {word: name for name, words in CATEGORIES.items() for word in words}


def category(value: str) -> str | None:
    """The category of a preferred thing ("oat milk" and "tea" are drinks): by its name, its last or first word."""
    words = value.lower().replace("'s", "").split()
    if not words or len(words) > 4:
        return None
    for key in ("-".join(words), words[-1], words[0]):
        if key in _CATEGORY_OF:
            return _CATEGORY_OF[key]
    return None
