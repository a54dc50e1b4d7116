/// Codes for reading bytes as a tree: CW01.
extension Code {
    package static let notUTF8 = Code(
        "CW0101",
        "not-utf8",
        .error,
        """
        A services file is UTF-8 text, with or without a byte order mark. corewire does not detect other encodings, \
        because a wrong guess would silently change secrets and names.

        Convert the file: iconv -f UTF-16 -t UTF-8 old.yaml > new.yaml
        """
    )
    package static let controlCharacter = Code(
        "CW0102",
        "control-character",
        .error,
        """
        Control characters (NUL among them) are invisible in editors and affect terminals. Tab, line feed and carriage \
        return are allowed.

        If a value needs a control character, write it as an escape in double quotes: "\\x07".
        """
    )
    package static let yamlSyntax = Code(
        "CW0103",
        "yaml-syntax",
        .error,
        """
        The text is not well-formed YAML. The parser stops at the first error, because the rest of the file is \
        ambiguous; other files are still read.

        Frequent causes: a tab in the indentation, a key and its value without a space after the colon, a line \
        indented differently from its neighbours, a bracket or quote that is not closed, a value without quotes that \
        begins with one of @ ` % & * ! | > { [.
        """
    )
    package static let jsonSyntax = Code(
        "CW0104",
        "json-syntax",
        .error,
        """
        The text is not JSON as RFC 8259 defines it. Comments, trailing commas, single quotes, NaN and numbers with \
        leading zeros are not JSON. Use YAML for a services file with comments.
        """
    )
    package static let duplicateKey = Code(
        "CW0105",
        "duplicate-key",
        .error,
        """
        A mapping can contain each key once. Most readers silently use the last value, so that editing the first line \
        has no effect. Remove one of the two, or merge their contents.
        """
    )
    package static let severalDocuments = Code(
        "CW0106",
        "several-documents",
        .error,
        """
        A services file is a single YAML document. A second '---' starts another document, which most tools ignore \
        silently.

        Write differences between environments under 'environments', and shared values in files listed under \
        'include'.
        """
    )
    package static let tag = Code(
        "CW0107",
        "tag",
        .error,
        """
        Tags such as !!str or !vault are not supported: the key determines the type of its value. Quote a value to \
        make it text; write a reference to use a secret: ${env:NAME}, ${file:path} or ${credential:name}.
        """
    )
    package static let unknownAlias = Code(
        "CW0108",
        "unknown-alias",
        .error,
        """
        An alias (*name) refers to a value marked with an anchor (&name) earlier in the same file. Anchors are not \
        visible in other files: use 'include' for that.
        """
    )
    package static let aliasInsideItself = Code(
        "CW0109",
        "alias-inside-itself",
        .error,
        """
        An alias is inside the value of its own anchor, so the value would be infinite.
        """
    )
    package static let badMergeKey = Code(
        "CW0110",
        "bad-merge-key",
        .error,
        """
        '<<' merges the entries of another mapping, or of several in a list. It accepts *alias, [*one, *two] or an \
        inline mapping. Keys of the mapping itself override merged ones.
        """
    )
    package static let keyNotText = Code(
        "CW0111",
        "key-not-text",
        .error,
        """
        A key must be a plain or quoted scalar. A list or mapping as a key is usually a template without quotes: YAML \
        reads {{ name }} as a mapping inside a mapping. Write "{{ name }}".
        """
    )
    package static let emptyFile = Code(
        "CW0112",
        "empty-file",
        .error,
        """
        The file contains no value. The smallest services file is 'version: 1'; 'corewire init' writes a template.
        """
    )
    package static let limitExceeded = Code(
        "CW0113",
        "limit-exceeded",
        .error,
        """
        The parser has limits, so that no input can exhaust memory or CPU: fileSize 128MiB, depth 64 levels, nodes 16 \
        million, aliasedNodes 100,000 (nodes added by expanding aliases and merge keys), scalarLength 1MiB, \
        includeDepth 8, includes 256, environments 10,000, extendsDepth 32, problems 1,000 (further ones are only \
        counted). Files written by hand stay far below these limits.
        """
    )
    package static let unreadableFile = Code(
        "CW0114",
        "unreadable-file",
        .error,
        """
        A named file cannot be read: it does not exist, is not a regular file, or the user of corewire has no \
        permission. A missing file is never replaced by defaults.
        """
    )

    static let syntaxCodes: [Code] = [
        notUTF8, controlCharacter, yamlSyntax, jsonSyntax, duplicateKey, severalDocuments, tag, unknownAlias,
        aliasInsideItself, badMergeKey, keyNotText, emptyFile, limitExceeded, unreadableFile,
    ]
}
