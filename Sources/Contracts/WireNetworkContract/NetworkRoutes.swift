/// The routes of this machine, as the kernel has them: whether a connection can still carry packets.
package protocol NetworkRoutes: Sendable {
    /// The route to an IP address of 4 or 16 bytes, in network order.
    func route(to address: [UInt8]) -> NetworkRoute
    /// The IP addresses of the interfaces that are up; nil where the system does not tell.
    var addresses: Set<[UInt8]>? { get }
    /// Calls an observer after each change of an interface, an address or a route, on a thread that must not wait, for as
    /// long as this exists.
    func observe(_ changed: @escaping @Sendable () -> Void)
}

/// The route that packets to an address take.
package enum NetworkRoute: Sendable, Hashable {
    /// The system does not tell.
    case unknown
    /// There is none.
    case none
    /// Out of an interface, by its index, to a gateway or straight to the address.
    ///
    /// An interface without a carrier carries nothing, though the kernel keeps its routes.
    case over(interface: Int32, gateway: [UInt8], hasCarrier: Bool)
}
