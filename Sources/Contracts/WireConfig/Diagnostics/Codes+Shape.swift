/// Codes for reading a tree as settings: CW02.
extension Code {
    package static let wrongType = Code(
        "CW0201",
        "wrong-type",
        .error,
        """
        Every key declares the type of its value; the message names the expected type and what was found.

        Durations have a unit (250ms, 30s, 5m, 3h, 7d, 1h30m), and so have sizes (64KiB, 10MB). true and false are the \
        only Booleans: yes, no, on and off are text, as in YAML 1.2. Text needs quotes only where YAML would read \
        another type. 'corewire schema SECTION' prints all keys with their types.
        """
    )
    package static let outOfRange = Code(
        "CW0202",
        "out-of-range",
        .error,
        """
        The value has the right type but is outside the range of the key. The range is in the message and in 'corewire \
        schema SECTION'. Ranges exclude values that are known mistakes, such as a retry count that overloads a server.
        """
    )
    package static let unknownKey = Code(
        "CW0203",
        "unknown-key",
        .error,
        """
        corewire does not know the key. Usually the key is misspelt, belongs to another section, or requires a newer \
        version of corewire.

        'corewire validate-config --fix' corrects a name that is close to exactly one key. Keys that begin with 'x-' \
        are allowed everywhere and ignored; they can hold anchors.
        """
    )
    package static let missingKey = Code(
        "CW0204",
        "missing-key",
        .error,
        """
        The section requires this key, and the key has no default. A key whose value is empty or null counts as \
        missing; in an environment, null removes the value of the file.
        """
    )
    package static let moreThanOne = Code(
        "CW0205",
        "more-than-one",
        .error,
        """
        The named keys exclude each other. Keep one of them.
        """
    )
    package static let badName = Code(
        "CW0206",
        "bad-name",
        .error,
        """
        Names that you choose (of registrars, handlers, add-ons, environments) are used in paths, URLs and metrics. \
        They consist of letters, digits, '-', '_' and '.', begin with a letter or digit, and have at most 64 \
        characters.
        """
    )
    package static let deprecatedKey = Code(
        "CW0207",
        "deprecated-key",
        .warning,
        """
        The key still works and will be removed in a later version. The help line shows the replacement.
        """
    )
    package static let secretInClear = Code(
        "CW0208",
        "secret-in-clear",
        .warning,
        """
        The file contains a secret in clear. Every copy and commit of the file contains the secret.

        Store the secret in the deployment and write a reference: ${env:NAME} for an environment variable, \
        ${file:path} for a mounted file, ${credential:name} for a credential of the service manager. 'corewire env \
        contract ENV' lists all of them. If the value is public, suppress the error: 'allow: { secret-in-clear: "demo \
        server" }'.
        """
    )
    package static let unsupportedVersion = Code(
        "CW0209",
        "unsupported-version",
        .error,
        """
        'version' is the version of the file format, not of the app. This version of corewire reads version 1. A \
        higher number requires a newer version of corewire.
        """
    )
    package static let badAddress = Code(
        "CW0210",
        "bad-address",
        .error,
        """
        The setting does not accept the URL. 'corewire schema SECTION' prints the accepted schemes, and whether the \
        URL may be relative to the environment's 'baseUrl'.

        A text that looks like a mistyped scheme (https//, htps://, https:/), a host (sso.example.com/auth, \
        localhost:8080) or a file is rejected: as a relative path, the request with its secrets would go to the server \
        of 'baseUrl'. A first segment with a dot is read as a host if its last label consists of letters and is not a \
        file extension such as .json or .php. Write './' before such a path: './api.dev/items'. A path that begins \
        with '/' is relative to the root of the server.

        A query or fragment is rejected in a URL to which paths are appended, such as 'baseUrl', because it would be \
        dropped.
        """
    )

    static let shapeCodes: [Code] = [
        wrongType, outOfRange, unknownKey, missingKey, moreThanOne, badName, deprecatedKey, secretInClear,
        unsupportedVersion, badAddress,
    ]
}
