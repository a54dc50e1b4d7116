package import WireConfig

/// An environment that no file declares: the default one, with servers at another URL.
package struct CustomEnvironment: Sendable {
    private let url: String

    /// What to write in place of a name that no environment has, where it was probably meant to be a URL.
    package static func hint(for name: String) -> String? {
        guard let misread = AddressTerms.base.slip(in: name, expected: ""), !misread.hidesText else { return nil }
        return misread.advice
    }

    /// Nil for the name of an environment, and for none.
    package init?(_ choice: String?) {
        guard let choice, choice.contains("://") else { return nil }
        url = choice
    }

    /// A URL names servers, so what the default environment embeds is not asked for.
    package var overrides: [Loader.Override] {
        ["baseUrl=\(url)", "backend=remote"].map { Loader.Override(option: "--env", text: $0) }
    }
}
