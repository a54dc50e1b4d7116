import CCurl
import Glibc
import WireBase
import WireHTTP

extension Transfer {
    private static func at(_ context: UnsafeMutableRawPointer?) -> Transfer? {
        guard let context = unsafe context else { return nil }
        return unsafe Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
    }

    /// Sets libcurl's callbacks, each with the address of this transfer.
    func setCallbacks() throws(TransferFailure) {
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        let raw = unsafe easy.raw
        try easy.check(
            unsafe wire_on_head(
                raw,
                { bytes, size, count, context in
                    let line = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
                    return unsafe Transfer.at(context)?.takeHead(line) ?? 0
                },
                context
            )
        )
        try easy.check(
            unsafe wire_on_body(
                raw,
                { bytes, size, count, context in
                    let part = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
                    return unsafe Transfer.at(context)?.takeBody(part) ?? 0
                },
                context
            )
        )
        try easy.check(
            unsafe wire_on_upload(
                raw,
                { bytes, size, count, context in
                    let room = unsafe UnsafeMutableRawBufferPointer(start: bytes, count: size * count)
                    return unsafe Transfer.at(context)?.giveBody(room) ?? Int(CURL_READFUNC_ABORT)
                },
                { context, offset, origin in
                    unsafe Transfer.at(context)?.rewind(to: Int(offset), from: origin) ?? CURL_SEEKFUNC_FAIL
                },
                context
            )
        )
        try easy.check(
            unsafe wire_on_lookup(
                raw,
                { _, _, context in
                    unsafe Transfer.at(context)?.hasBegun = true
                    return 0
                },
                context
            )
        )
        try easy.check(
            unsafe wire_on_socket(
                raw,
                { context, _, address in
                    guard let address = unsafe address else { return -1 }
                    return unsafe Transfer.at(context)?.openSocket(address) ?? -1
                },
                context
            )
        )
        try easy.check(
            unsafe wire_on_close(
                raw,
                { context, socket in
                    guard let context = unsafe context else { return close(socket) }
                    return unsafe Unmanaged<OpenSockets>.fromOpaque(context).takeUnretainedValue().close(socket)
                },
                // Kept connections outlive their transfers, and these sockets outlive them.
                unsafe Unmanaged.passUnretained(network.sockets).toOpaque()
            )
        )
        try easy.check(
            unsafe wire_on_request(
                raw,
                { context, _, _, _, port in
                    unsafe Transfer.at(context)?.beginRequest(from: port) ?? false
                        ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
                },
                context
            )
        )
    }

    // MARK: Sending

    /// Opens a socket for a permitted address; returns -1 for any other.
    private func openSocket(_ address: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
        hasBegun = true
        let (family, kind) = unsafe (address.pointee.family, address.pointee.socktype)
        if family == AF_UNIX {
            guard hop.socket != nil else { return -1 }
        } else {
            guard let remote = unsafe withUnsafePointer(to: &address.pointee.addr, { unsafe RemoteAddress($0) }) else {
                return -1
            }
            let isAllowed = (!hop.mustBeLoopback || remote.isLoopback) && (options.allowsAddress?(remote) ?? true)
            guard isAllowed else {
                refusedAddress = remote
                return -1
            }
        }
        let descriptor = Glibc.socket(family, kind | Int32(SOCK_CLOEXEC.rawValue), unsafe address.pointee.protocol)
        if hop.leavesHTTP, descriptor >= 0 { sockets.append(descriptor) }
        unsafe withUnsafePointer(to: &address.pointee.addr) { address in
            unsafe network.sockets.open(descriptor, for: number, to: address)
        }
        return descriptor
    }

    /// Called when a connection is established and the request is about to be sent.
    private func beginRequest(from port: Int32) -> Bool {
        if attempts > 0 {
            // libcurl repeats a request refused with 417; here the caller decides.
            guard !head.isComplete else {
                isDone = true
                return false
            }
            // libcurl also repeats a request on a kept connection that was closed; whether the server got it is
            // unknown.
            guard hop.method.isIdempotent else {
                failure = TransferFailure(
                    .interrupted,
                    "the connection to \(hop.url.origin) was closed before the response",
                    wasNotSent: false
                )
                return false
            }
            head.startOver()
        }
        guard exchange.beginsToSend() else { return false }
        hasSentAll = leavesAtOnce
        attempts += 1
        // Network changes do not affect connections to this machine.
        (socket, localPort) = (socket(at: port), hop.url.isLoopback || hop.socket != nil ? 0 : port)
        enter(.waiting)
        return true
    }

    private func giveBody(_ room: UnsafeMutableRawBufferPointer) -> Int {
        if isRefused {
            isSendingHeld = true
            return Int(CURL_READFUNC_PAUSE)
        }
        if hop.upgrade != nil, !head.isComplete {
            isSendingHeld = true
            return Int(CURL_READFUNC_PAUSE)
        }
        switch hop.body {
        case .none: return 0
        case .bytes(let bytes):
            let count = min(room.count, bytes.count - sentBytes)
            unsafe room.copyBytes(from: bytes[sentBytes..<sentBytes + count])
            sentBytes += count
            hasSentAll = sentBytes == bytes.count
            rearm()
            return count
        case .stream, .upgrade, .connection:
            switch unsafe exchange.upload?.read(into: room) {
            case .bytes(let count):
                sentBytes += count
                if case .stream(let length, _) = hop.body { hasSentAll = sentBytes == length }
                rearm()
                return count
            case .end:
                hasSentAll = true
                return 0
            case .later:
                isSendingHeld = true
                rearm()
                return Int(CURL_READFUNC_PAUSE)
            case .failed(let failure):
                self.failure = failure
                return Int(CURL_READFUNC_ABORT)
            case nil: return Int(CURL_READFUNC_ABORT)
            }
        }
    }

    private func rewind(to offset: Int, from origin: Int32) -> Int32 {
        guard origin == SEEK_SET else { return CURL_SEEKFUNC_FAIL }
        switch hop.body {
        case .bytes(let bytes) where (0...bytes.count).contains(offset):
            sentBytes = offset
            return CURL_SEEKFUNC_OK
        default: return offset == sentBytes ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_FAIL
        }
    }

    // MARK: Receiving

    private func takeHead(_ line: UnsafeRawBufferPointer) -> Int {
        do throws(Fault) {
            switch try unsafe head.consume(line) {
            case .head(let head):
                take(head)
                if isDone { return 0 }
            case .more, .interim, .trailer: break
            }
            return line.count
        } catch {
            failure = failure(.protocolError, "the response of \(hop.url.origin) cannot be read: \(error.reason)")
            return 0
        }
    }

    private func take(_ head: ResponseHead) {
        if hop.hasBody, !hasSentAll {
            // The end of the response ends the exchange even if the server did not read the whole body; libcurl would
            // wait to send the rest. After a refusal no more of the body is sent.
            answerLeft = hop.decompresses ? nil : head.fields["Content-Length"].flatMap { Int($0) }
            isRefused = head.status.code >= 300
            isDone = answerLeft == 0
        }
        var fields = head.fields
        if head.status.code == 417, expectsContinue {
            // libcurl repeats the request by itself and does not deliver this body.
            fields["Content-Length"] = nil
            isDone = true
        }
        if hop.decompresses, let coding = fields["Content-Encoding"], !coding.isSameField(as: "identity") {
            fields["Content-Encoding"] = nil
            fields["Content-Length"] = nil
        }
        if hop.upgrade != nil {
            isUpgraded = head.status == .switchingProtocols
            exchange.settleUpgrade(isAccepted: isUpgraded)
        }
        enter(.receiving)
        exchange.deliver(ResponseHead(status: head.status, fields: fields, repeats: repeats))
        arrivals.add(exchange)
    }

    private func takeBody(_ part: UnsafeRawBufferPointer) -> Int {
        arrivals.add(exchange)
        switch unsafe exchange.receive(part) {
        case .taken:
            if stage == .receiving { rearm() }
            if let left = answerLeft {
                answerLeft = left - part.count
                isDone = left <= part.count && !hasSentAll
                if isDone { return 0 }
            }
            return part.count
        case .hold:
            isReceivingHeld = true
            rearm()
            return Int(CURL_WRITEFUNC_PAUSE)
        case .stop: return 0
        }
    }
}
