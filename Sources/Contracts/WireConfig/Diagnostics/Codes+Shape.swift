/// Reading a tree as settings: CW02.
extension Code {
    package static let wrongType = Code(
        "CW0201",
        "wrong-type",
        .error,
        """
        Every key declares the type of its value; the message names the one expected and what was found.

        Durations carry a unit (250ms, 30s, 5m, 3h, 7d, 1h30m), sizes too (64KiB, 10MB). true and false are the only \
        truth values: yes, no, on and off are text, as YAML 1.2 has it. Text needs no quotes unless YAML would read \
        something else into it. 'corewire schema SECTION' prints all keys with their types.
        """
    )
    package static let outOfRange = Code(
        "CW0202",
        "out-of-range",
        .error,
        """
        The value has the right type and lies outside what the key allows. The range stands in the message, and in \
        'corewire schema SECTION'. Where a range looks arbitrary, it is there because values beyond it were seen to be \
        mistakes: a retry count that floods a server, a timeout no user would wait for.
        """
    )
    package static let unknownKey = Code(
        "CW0203",
        "unknown-key",
        .error,
        """
        No section does anything by surprise, so a key nobody reads is a mistake: most often a misspelling, a key of \
        another section, or a key of a newer version of corewire.

        A name that is close to one key only can be put right with 'corewire validate-config --fix'. Keys that begin with \
        'x-' are yours: they are allowed everywhere and read by nobody, which makes them a place for anchors.
        """
    )
    package static let missingKey = Code(
        "CW0204",
        "missing-key",
        .error,
        """
        The section cannot work without this key and there is no default that would be right for everybody. A key whose \
        value is empty or null counts as missing; in an environment, null removes what the file says.
        """
    )
    package static let moreThanOne = Code(
        "CW0205",
        "more-than-one",
        .error,
        """
        The keys named exclude each other: each is a way to give the same thing. Keep one.
        """
    )
    package static let badName = Code(
        "CW0206",
        "bad-name",
        .error,
        """
        Names that you choose (of registrars, handlers, add-ons, environments) turn up in paths, URLs and metrics. They are \
        made of letters, digits, '-', '_' and '.', begin with a letter or digit, and are at most 64 characters long.
        """
    )
    package static let deprecatedKey = Code(
        "CW0207",
        "deprecated-key",
        .warning,
        """
        The key still works and will be removed in a later version. The help line says what to write instead.
        """
    )
    package static let secretInClear = Code(
        "CW0208",
        "secret-in-clear",
        .warning,
        """
        The file holds a secret itself. Files are copied, committed and sent to colleagues; a secret in one is known to \
        all who ever held a copy.

        Give the secret to the deployment and write a reference: ${env:NAME} for an environment variable, ${file:path} for \
        a mounted file, ${credential:name} for a credential of the service manager. 'corewire env contract ENV' lists all \
        of them. A value that is public, as in a demo, can be allowed: 'allow: { secret-in-clear: "demo server" }'.
        """
    )
    package static let unsupportedVersion = Code(
        "CW0209",
        "unsupported-version",
        .error,
        """
        'version' is the version of the file's format, not of your app. This build reads version 1. A higher number means \
        the file was written for a newer corewire; run that one.
        """
    )
    package static let badAddress = Code(
        "CW0210",
        "bad-address",
        .error,
        """
        The text is no address that the setting takes. Each setting that holds one says which schemes it takes and whether \
        it may be relative to the environment's 'baseUrl': 'corewire schema SECTION' prints it.

        A text that looks like a mistyped scheme (https//, htps://, https:/), a host (sso.example.com/auth, \
        localhost:8080) or a file is refused, because it would be read as a relative path, and the request would go to the \
        server of 'baseUrl' with the secrets meant for another one. A first part with a dot is taken for a host when its \
        last label is made of letters and is not the ending of a file such as .json or .php. Where such a path is meant, \
        write './' before it: './api.dev/items'. A path that begins with '/' begins at the root of the server.

        A query or fragment is refused where it would not be sent: after a URL to which paths are appended, as 'baseUrl' \
        is, it would be dropped.
        """
    )

    static let shapeCodes: [Code] = [
        wrongType, outOfRange, unknownKey, missingKey, moreThanOne, badName, deprecatedKey, secretInClear,
        unsupportedVersion, badAddress,
    ]
}
