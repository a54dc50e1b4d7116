/// The kernel's routing table, to find out whether a connection can still carry packets.
package protocol NetworkRoutes: Sendable {
    /// The route to an IP address of 4 or 16 bytes, in network byte order.
    func route(to address: [UInt8]) -> NetworkRoute
    /// The IP addresses of active interfaces; nil where unknown.
    var addresses: Set<[UInt8]>? { get }
    /// Calls an observer after each change of an interface, an address or a route, on a thread that must not block, as
    /// long as this object exists.
    func observe(_ changed: @escaping @Sendable () -> Void)
}

/// A route to an address.
package enum NetworkRoute: Sendable, Hashable {
    /// Unknown.
    case unknown
    /// No route.
    case none
    /// A route over an interface, by its index, to a gateway or directly.
    ///
    /// An interface without a carrier sends nothing, although the kernel keeps its routes.
    case over(interface: Int32, gateway: [UInt8], hasCarrier: Bool)
}
