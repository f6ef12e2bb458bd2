"""Pure functions over text: decoding, coordinates, redaction, tokens and normal forms."""
