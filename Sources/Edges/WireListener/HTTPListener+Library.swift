import CMicroHTTPD

extension HTTPListener {
    /// The version of libmicrohttpd.
    package static var library: String { unsafe String(cString: MHD_get_version()) }
}
