import CSDBus
import Glibc
import WireMessageBus

/// A message of sd-bus, used by one thread; a class, since pending calls are kept in a dictionary.
@safe final class BusMessage {
    enum Kind: UInt8 {
        case call = 1
        case reply = 2
        case error = 3
        case signal = 4
    }

    let handle: OpaquePointer
    let library: SystemdLibrary

    /// Takes over the caller's reference.
    init(_ handle: OpaquePointer, _ library: SystemdLibrary) {
        unsafe self.handle = unsafe handle
        self.library = library
    }

    deinit { _ = unsafe library.functions.sd_bus_message_unref(handle) }

    var kind: Kind? {
        var kind: UInt8 = 0
        guard unsafe library.functions.sd_bus_message_get_type(handle, &kind) >= 0 else { return nil }
        return Kind(rawValue: kind)
    }

    /// The serial of the message that this one replies to.
    var replyCookie: UInt64? {
        var cookie: UInt64 = 0
        return unsafe library.functions.sd_bus_message_get_reply_cookie(handle, &cookie) >= 0 ? cookie : nil
    }

    var expectsReply: Bool { unsafe library.functions.sd_bus_message_get_expect_reply(handle) > 0 }
    var path: String { unsafe Self.text(library.functions.sd_bus_message_get_path(handle)) }
    var interface: String { unsafe Self.text(library.functions.sd_bus_message_get_interface(handle)) }
    var member: String { unsafe Self.text(library.functions.sd_bus_message_get_member(handle)) }
    var sender: String { unsafe Self.text(library.functions.sd_bus_message_get_sender(handle)) }

    /// The name and the text of an error.
    var error: (name: String, text: String) {
        guard let error = unsafe library.functions.sd_bus_message_get_error(handle) else { return ("", "") }
        return unsafe (Self.text(error.pointee.name), Self.text(error.pointee.message))
    }

    private static func text(_ text: UnsafePointer<CChar>?) -> String {
        unsafe text.map { unsafe String(cString: $0) } ?? ""
    }

    /// Checks the result of sending, which may report a lost connection.
    static func check(sent result: CInt, _ what: String) throws(BusFailure) {
        switch -result {
        case ECONNRESET, ENOTCONN, EPIPE, ESHUTDOWN: throw BusFailure(.lost, SystemdLibrary.text(of: result))
        default: try check(result, what)
        }
    }

    static func check(_ result: CInt, _ what: String) throws(BusFailure) {
        guard result < 0 else { return }
        throw BusFailure(.invalid, "\(what): \(SystemdLibrary.text(of: result))")
    }
}
