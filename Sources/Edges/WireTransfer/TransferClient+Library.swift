import CCurl

extension TransferClient {
    /// The libraries it sends requests with, and their versions: libcurl's own words.
    package static var library: String { unsafe String(cString: curl_version()) }
}
