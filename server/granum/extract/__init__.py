"""From a document's text to its layers; pure."""
