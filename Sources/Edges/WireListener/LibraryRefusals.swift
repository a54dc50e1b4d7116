import CMicroHTTPD
import Glibc
import Synchronization
import WireBase
import WireHTTP

/// Replaces the error pages that the library sends before there is a request.
///
/// libmicrohttpd answers an unreadable head or chunk with an HTML page; version 0.9.75 even with two heads where a
/// `Content-Length` is not a number. It queues that page by its own public function. A program that shows its
/// public functions to libraries, as Package.swift has those that are installed do, is called in its place; with another
/// way of linking the library's page is sent.
enum LibraryRefusals {
    /// Our instances of the library; the host program may have others.
    private static let daemons = Mutex<Set<UInt>>([])

    typealias Queue =
        @convention(c) (OpaquePointer?, UInt32, OpaquePointer?) -> MHD_Result

    /// The library's function.
    static let queue = unsafe unsafeBitCast(corewire_behind("MHD_queue_response"), to: Queue.self)

    static func watch(_ daemon: OpaquePointer) {
        daemons.withLock { _ = $0.insert(UInt(bitPattern: daemon)) }
    }

    static func leave(_ daemon: OpaquePointer) {
        daemons.withLock { _ = $0.remove(UInt(bitPattern: daemon)) }
    }

    /// Returns the connection if it is one of ours.
    static func connection(_ handle: OpaquePointer) -> Connection? {
        guard let daemon = unsafe corewire_daemon_of(handle) else { return nil }
        let isOurs = daemons.withLock { $0.contains(UInt(bitPattern: daemon)) }
        return isOurs ? unsafe Callbacks.connection(handle) : nil
    }

    static func problem(_ status: Status, _ limits: ListenerLimits) -> Problem {
        switch status.code {
        case 413:
            Problem(
                status,
                "body-too-large",
                "the body is too large",
                detail: "expected a 'Content-Length' that a body can have"
            )
        case 414:
            Problem(
                status,
                "target-too-long",
                "the target is too long",
                detail: "expected \(limits.target.bytes) bytes at most"
            )
        case 431:
            Problem(
                status,
                "header-too-large",
                "the header is too large",
                detail: "expected \(limits.header.bytes) bytes at most"
            )
        case 505:
            Problem(
                status,
                "version-not-supported",
                "the version of HTTP is not supported",
                detail: "expected HTTP/1.1 or HTTP/1.0"
            )
        case 500...:
            Problem(
                status,
                "internal-error",
                "the request could not be accepted",
                detail: "no memory left"
            )
        default:
            Problem(
                status,
                "malformed-request",
                "the request is malformed",
                detail: "expected 'method target HTTP/1.1', lines 'name: value', and a body whose 'Content-Length' is "
                    + "one number, or in chunks that begin with their size"
            )
        }
    }
}

/// Public, since the linker shows libraries no other function.
@_cdecl("MHD_queue_response")
public func corewireQueueResponse(_ handle: OpaquePointer?, _ code: UInt32, _ response: OpaquePointer?) -> UInt32 {
    guard let handle = unsafe handle, let connection = unsafe LibraryRefusals.connection(handle) else {
        return unsafe LibraryRefusals.queue(handle, code, response).rawValue
    }
    connection.refusedByLibrary(Status(Int(code)))
    // The library then closes the connection.
    return MHD_Result.NO.rawValue
}
