import CMicroHTTPD

extension HTTPListener {
    /// The version of the library that understands requests.
    package static var library: String { unsafe String(cString: MHD_get_version()) }
}
