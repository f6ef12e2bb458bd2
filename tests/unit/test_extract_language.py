"""Reading a large text in pieces changes nothing about what is read."""

from __future__ import annotations

from granum.extract.language import load


def test_a_text_read_in_pieces_has_the_tree_of_the_whole() -> None:
    language = load("python")
    assert language is not None
    part = (
        "class Größe:\n    '''Ünïcödé on a border.'''\n\n    def f(self, x=(1, 2)):\n        return {x: repr(x)}\n\n\n"
    )
    few, many = (language.parse((part * count).encode()) for count in (2, 200))
    assert many.root_node.end_byte == len((part * 200).encode())
    assert not many.root_node.has_error
    shapes = {str(child) for child in many.root_node.children}
    assert shapes == {str(child) for child in few.root_node.children}
    assert many.root_node.child_count == 100 * few.root_node.child_count
