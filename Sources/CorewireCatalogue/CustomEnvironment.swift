package import WireConfig

/// An undeclared environment: the default one with servers at another URL.
package struct CustomEnvironment: Sendable {
    private let url: String

    /// Suggests a URL for an unknown environment name that looks like one.
    package static func hint(for name: String) -> String? {
        guard let misread = AddressTerms.base.slip(in: name, expected: ""), !misread.hidesText else { return nil }
        return misread.advice
    }

    /// Fails for the name of an environment, and for nil.
    package init?(_ choice: String?) {
        guard let choice, choice.contains("://") else { return nil }
        url = choice
    }

    /// A URL names real servers, so `backend: embedded` of the default environment is overridden.
    package var overrides: [Loader.Override] {
        ["baseUrl=\(url)", "backend=remote"].map { Loader.Override(option: "--env", text: $0) }
    }
}
