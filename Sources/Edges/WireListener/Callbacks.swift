import CMicroHTTPD
import Glibc

/// The callbacks of the library, which find their connection and forward to it.
///
/// A connection is retained once when the library starts it, and released when it ends; both calls come for exactly
/// these connections, and no other call comes outside of them.
enum Callbacks {
    static func notified(
        _ context: UnsafeMutableRawPointer?,
        _ handle: OpaquePointer?,
        _ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
        _ what: MHD_ConnectionNotificationCode
    ) {
        guard let context = unsafe context, let slot = unsafe slot else { return }
        if what == .CONNECTION_NOTIFY_STARTED {
            let thread = unsafe Unmanaged<ConnectionThread>.fromOpaque(context).takeUnretainedValue()
            guard let connection = thread.arrival else { return }
            unsafe slot.pointee = Unmanaged.passRetained(connection).toOpaque()
        } else if let retained = unsafe slot.pointee {
            unsafe slot.pointee = nil
            unsafe Unmanaged<Connection>.fromOpaque(retained).takeRetainedValue().closed()
        }
    }

    /// Called with the request line.
    static func requested(_ target: UnsafePointer<CChar>?, _ handle: OpaquePointer?) -> UnsafeMutableRawPointer? {
        unsafe connection(handle)?.requestLineCame(target.flatMap { unsafe String(validatingCString: $0) })
        return nil
    }

    /// Called with the head, a piece of the body, or the end of the body.
    static func handle(
        _ handle: OpaquePointer?,
        _ method: UnsafePointer<CChar>?,
        _ target: UnsafePointer<CChar>?,
        _ version: UnsafePointer<CChar>?,
        _ upload: UnsafePointer<CChar>?,
        _ size: UnsafeMutablePointer<Int>?,
        _ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
    ) -> MHD_Result {
        guard let handle = unsafe handle, let connection = unsafe connection(handle), let size = unsafe size else {
            return .NO
        }
        let exchange = unsafe MHDConnection(handle, connection.thread)
        if case .head(let asked) = connection.arrival() {
            guard let method = unsafe method, let target = unsafe target, let version = unsafe version else {
                return .NO
            }
            let text = unsafe RequestText(exchange, method: method, target: target, version: version)
            return connection.headCame(text, target: asked, exchange) ? .YES : .NO
        }
        guard unsafe size.pointee > 0, let upload = unsafe upload else {
            return connection.bodyEnded(exchange) ? .YES : .NO
        }
        let bytes = unsafe UnsafeRawBufferPointer(start: upload, count: size.pointee)
        let goesOn = unsafe connection.bodyCame(bytes, exchange)
        unsafe size.pointee = 0
        return goesOn ? .YES : .NO
    }

    /// Called when the response is sent or has failed.
    static func completed(
        _ handle: OpaquePointer?,
        _ slot: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
        _ reason: MHD_RequestTerminationCode
    ) {
        unsafe connection(handle)?.exchangeEnded()
    }

    /// Called when the connection has left HTTP, with the bytes after the head.
    static func upgraded(
        _ handle: OpaquePointer?,
        _ extra: UnsafePointer<CChar>?,
        _ size: Int,
        _ hold: OpaquePointer?
    ) {
        guard let hold = unsafe hold else { return }
        guard let connection = unsafe connection(handle) else { return unsafe corewire_end_upgrade(hold) }
        let kept = unsafe UpgradeHold(hold, connection.thread)
        let early = unsafe UnsafeRawBufferPointer(start: extra, count: extra == nil ? 0 : size)
        unsafe connection.upgraded(kept, early: Array(early))
    }

    static func connection(_ handle: OpaquePointer?) -> Connection? {
        guard let handle = unsafe handle, let context = unsafe corewire_context(handle) else { return nil }
        return unsafe Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue()
    }
}
