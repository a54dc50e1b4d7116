import CCurl

extension TransferClient {
    /// The version of libcurl; nil where it is not installed.
    package static var version: String? { unsafe library(wire_version) }

    /// The versions of libcurl and its libraries, some of which are initialized for this.
    package static var versions: String? { unsafe library(wire_versions) }

    private static func library(_ text: () -> UnsafePointer<CChar>?) -> String? {
        guard (try? Libcurl.load()) != nil else { return nil }
        return unsafe text().map { unsafe String(cString: $0) }
    }
}
