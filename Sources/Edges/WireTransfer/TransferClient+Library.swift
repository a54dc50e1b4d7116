import CCurl

extension TransferClient {
    /// The versions of the libraries, in libcurl's words.
    package static var library: String { unsafe String(cString: curl_version()) }
}
