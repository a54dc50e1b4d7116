/// Reading bytes as a tree: CW01.
extension Code {
    package static let notUTF8 = Code(
        "CW0101",
        "not-utf8",
        .error,
        """
        A services file is UTF-8 text, with or without a byte order mark. Other encodings are refused rather than guessed, \
        because a guess that is wrong changes secrets and names without a sign.

        Convert the file: iconv -f UTF-16 -t UTF-8 old.yaml > new.yaml
        """
    )
    package static let controlCharacter = Code(
        "CW0102",
        "control-character",
        .error,
        """
        Control characters (NUL among them) are invisible in editors and change what terminals show. Tab, line feed and \
        carriage return are allowed.

        Where a value really needs one, write it as an escape inside double quotes: "\\x07".
        """
    )
    package static let yamlSyntax = Code(
        "CW0103",
        "yaml-syntax",
        .error,
        """
        The text is not well-formed YAML. Reading stops at the first such place of a file, because what follows could only \
        be guessed; other files are still read.

        Frequent causes: a tab in the indentation, a key and its value without a space after the colon, a line indented \
        differently from its neighbours, a bracket or quote that is never closed, a value that begins with one of \
        @ ` % & * ! | > { [ and is not in quotes.
        """
    )
    package static let jsonSyntax = Code(
        "CW0104",
        "json-syntax",
        .error,
        """
        The text is not JSON as RFC 8259 defines it. Comments, trailing commas, single quotes, NaN and numbers with \
        leading zeros are not JSON; a services file that wants comments is written in YAML.
        """
    )
    package static let duplicateKey = Code(
        "CW0105",
        "duplicate-key",
        .error,
        """
        A mapping holds each key once. Most readers silently keep the last value; then the line people read and change \
        first has no effect. Remove one of the two, or merge what they hold.
        """
    )
    package static let severalDocuments = Code(
        "CW0106",
        "several-documents",
        .error,
        """
        A services file is one document. A second '---' would start another one, which most tools ignore without a word.

        Put what differs by environment under 'environments', and what is shared into files named by 'include'.
        """
    )
    package static let tag = Code(
        "CW0107",
        "tag",
        .error,
        """
        Tags such as !!str or !vault are not used: the type of every value is known from its key. To keep a value text, put \
        it in quotes; to bring in a secret, write a reference: ${env:NAME}, ${file:path} or ${credential:name}.
        """
    )
    package static let unknownAlias = Code(
        "CW0108",
        "unknown-alias",
        .error,
        """
        An alias (*name) stands for a value marked with an anchor (&name) earlier in the same file. Anchors do not reach \
        into other files: use 'include' for that.
        """
    )
    package static let aliasInsideItself = Code(
        "CW0109",
        "alias-inside-itself",
        .error,
        """
        An alias may not stand inside the value its anchor marks: the value would have no end.
        """
    )
    package static let badMergeKey = Code(
        "CW0110",
        "bad-merge-key",
        .error,
        """
        '<<' takes over the entries of another mapping, or of several in a list. It takes *alias, [*one, *two] or a mapping \
        written in place. Keys of the mapping itself win over what it takes over.
        """
    )
    package static let keyNotText = Code(
        "CW0111",
        "key-not-text",
        .error,
        """
        A key is a plain or quoted scalar. A list or mapping as a key is most often a template without its quotes: YAML \
        reads {{ name }} as a mapping inside a mapping. Write "{{ name }}".
        """
    )
    package static let emptyFile = Code(
        "CW0112",
        "empty-file",
        .error,
        """
        The file holds no value at all. The smallest services file is 'version: 1'; 'corewire init' writes one that does \
        something.
        """
    )
    package static let limitExceeded = Code(
        "CW0113",
        "limit-exceeded",
        .error,
        """
        The reader has limits, so that no input can use up the machine: fileSize 128MiB, depth 64 levels, nodes 16 million, \
        aliasedNodes 100,000 (what aliases and merge keys would add if written out), scalarLength 1MiB, includeDepth 8, \
        includes 256, environments 10,000, extendsDepth 32, problems 1,000 (those beyond are only counted). A file people write comes nowhere near them.
        """
    )
    package static let unreadableFile = Code(
        "CW0114",
        "unreadable-file",
        .error,
        """
        A file that was named cannot be read: it does not exist, is not a regular file, or the user who runs corewire may \
        not read it. A named file is never replaced by defaults.
        """
    )

    static let syntaxCodes: [Code] = [
        notUTF8, controlCharacter, yamlSyntax, jsonSyntax, duplicateKey, severalDocuments, tag, unknownAlias,
        aliasInsideItself, badMergeKey, keyNotText, emptyFile, limitExceeded, unreadableFile,
    ]
}
