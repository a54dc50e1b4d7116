import CPQ
import Glibc
import WireBase

/// A connection of libpq, used by one thread at a time and closed with the last reference.
@safe final class PostgresHandle: @unchecked Sendable {
    /// What a connection waits for while it is made.
    enum Progress: Sendable {
        case reads, writes, made
        /// The reason, and the code of a server that has refused the client.
        case failed(String, state: String?)
    }

    /// A result of the pipeline.
    enum Answer: Sendable {
        case rows([PostgresRow])
        case failure(PostgresFailure)
        /// The connection is of no use any more, by the library or the server.
        case broken(String)
        /// A statement after a failed one.
        case skipped
        /// The end of a batch.
        case sync
    }

    private let pq: corewire_pq
    private let connection: OpaquePointer

    /// Begins to connect; nil where there is no memory.
    ///
    /// Blocks while the server's name is looked up.
    init?(_ library: PostgresLibrary, _ parameters: [(name: String, value: String)]) {
        let pq = library.functions
        // In this form, an empty value is not replaced by one of the environment.
        var text = Array(parameters.map { "\($0.name)='\(Self.escaped($0.value))'" }.joined(separator: " ").utf8CString)
        defer { for index in text.indices { text[index] = 0 } }
        guard
            let made = unsafe text.withUnsafeBufferPointer({
                unsafe $0.baseAddress.flatMap { unsafe pq.PQconnectStart($0) }
            })
        else { return nil }
        self.pq = pq
        unsafe connection = made
        // Notices would be printed to standard error.
        _ = unsafe pq.PQsetNoticeReceiver(connection, { _, _ in }, nil)
        // Only so do the messages of a connection that fails have the server's code.
        _ = unsafe pq.PQsetErrorVerbosity(connection, PQERRORS_VERBOSE)
    }

    /// Escapes by scalars: a quote with a combining mark is one character.
    private static func escaped(_ value: String) -> String {
        var text = String.UnicodeScalarView()
        for scalar in value.unicodeScalars {
            if scalar == "'" || scalar == "\\" { text.append("\\") }
            text.append(scalar)
        }
        return String(text)
    }

    deinit { unsafe pq.PQfinish(connection) }

    var descriptor: CInt { unsafe pq.PQsocket(connection) }

    var isBroken: Bool { unsafe pq.PQstatus(connection) == CONNECTION_BAD }

    /// The library's last message, on one line.
    var message: String {
        guard let text = unsafe pq.PQerrorMessage(connection) else { return "unknown error" }
        return unsafe Self.line(String(cString: text))
    }

    private static func line(_ text: String) -> String {
        // The library indents its guesses.
        text.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("\t") }
            .map { $0.split { $0.isWhitespace }.joined(separator: " ") }
            .joined(separator: "; ").shown(upTo: 400)
    }

    // MARK: Connecting

    /// Continues to connect.
    func advance() -> Progress {
        switch unsafe pq.PQconnectPoll(connection) {
        case PGRES_POLLING_READING: .reads
        case PGRES_POLLING_WRITING: .writes
        case PGRES_POLLING_OK:
            unsafe limitBuffer() && pq.PQsetnonblocking(connection, 1) == 0 && pq.PQenterPipelineMode(connection) == 1
                ? .made : .failed(message, state: nil)
        default: refusal
        }
    }

    /// Leaves little to the kernel, so that it is seen when data that is sent moves.
    private func limitBuffer() -> Bool {
        var size: CInt = 1 << 17
        let length = socklen_t(MemoryLayout<CInt>.size)
        return unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &size, length) == 0
    }

    /// Why no connection is made: `…FATAL:  28P01: the reason`, where the server has said it.
    private var refusal: Progress {
        let text = unsafe pq.PQerrorMessage(connection).map { unsafe String(cString: $0) } ?? "unknown error"
        let state = text.split(separator: ":  ").compactMap { part in
            let (code, rest) = (part.prefix(5), part.dropFirst(5))
            let isCode = code.utf8.allSatisfy { $0.isDigit || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
            return code.count == 5 && isCode && rest.hasPrefix(": ") ? String(code) : nil
        }.last
        // Of a server that asks for a password it is known without its code.
        let isUnknown = unsafe state == nil && pq.PQconnectionNeedsPassword(connection) == 1
        let said = state.map { text.split(separator: "\($0): ", maxSplits: 1).joined() } ?? text
        // Where in the server's source it was said.
        let lines = said.split(separator: "\n").filter { !$0.hasPrefix("LOCATION:") }
        return .failed(Self.line(lines.joined(separator: "\n")), state: isUnknown ? "28P01" : state)
    }

    // MARK: Sending

    /// Prepares a statement under a name, in a batch of its own.
    func prepare(_ statement: PostgresStatement, as name: String) -> Bool {
        let types = statement.parameters.map { Oid($0.type) }
        return unsafe pq.PQsendPrepare(connection, name, statement.text, CInt(types.count), types) == 1
            && pq.PQpipelineSync(connection) == 1
    }

    /// Sends a statement, prepared under a name or not at all.
    func send(_ statement: PostgresStatement, as name: String?) -> Bool {
        let parameters = statement.parameters
        let empty: [UInt8] = [0]
        // One block holds all values, so that their addresses stay valid during the call.
        let bytes = parameters.flatMap { $0.bytes ?? [] } + empty
        let lengths = parameters.map { CInt($0.bytes?.count ?? 0) }
        let formats = [CInt](repeating: 1, count: parameters.count)
        return unsafe bytes.withUnsafeBytes { block in
            var place = 0
            var values: [UnsafePointer<CChar>?] = unsafe []
            for parameter in parameters {
                guard let size = parameter.bytes?.count else {
                    unsafe values.append(nil)
                    continue
                }
                let value = unsafe block.baseAddress?.advanced(by: place).assumingMemoryBound(to: CChar.self)
                unsafe values.append(value)
                place += size
            }
            let count = CInt(parameters.count)
            if let name {
                return unsafe pq.PQsendQueryPrepared(connection, name, count, values, lengths, formats, 1) == 1
            }
            let types = parameters.map { Oid($0.type) }
            return unsafe pq.PQsendQueryParams(connection, statement.text, count, types, values, lengths, formats, 1)
                == 1
        }
    }

    /// Ends a batch, whose statements are one transaction.
    func sync() -> Bool { unsafe pq.PQpipelineSync(connection) == 1 }

    /// Writes what is buffered; returns whether more is left, nil where the connection is broken.
    func flush() -> Bool? {
        switch unsafe pq.PQflush(connection) {
        case 0: false
        case 1: true
        default: nil
        }
    }

    // MARK: Receiving

    /// The number of bytes that have arrived.
    var arrived: Int {
        var count: CInt = 0
        return unsafe ioctl(descriptor, UInt(FIONREAD), &count) == 0 ? Int(count) : 0
    }

    /// Reads what has arrived; false where the connection is broken.
    func read() -> Bool {
        guard unsafe pq.PQconsumeInput(connection) == 1 else { return false }
        // Once more for what the encryption holds back, which the socket does not tell.
        return unsafe pq.PQsslInUse(connection) == 0 || pq.PQconsumeInput(connection) == 1
    }

    /// The next result; nil where none has arrived yet.
    func next() -> Answer? {
        // Between two statements there is an empty result.
        for _ in 0..<2 {
            guard unsafe pq.PQisBusy(connection) == 0 else { return nil }
            guard let result = unsafe pq.PQgetResult(connection) else { continue }
            defer { unsafe pq.PQclear(result) }
            return unsafe answer(result)
        }
        return nil
    }

    private func answer(_ result: OpaquePointer) -> Answer {
        switch unsafe pq.PQresultStatus(result) {
        case PGRES_PIPELINE_SYNC: return .sync
        case PGRES_PIPELINE_ABORTED: return .skipped
        case PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: return .rows([])
        case PGRES_TUPLES_OK: return unsafe .rows(rows(result))
        case PGRES_FATAL_ERROR:
            let text = unsafe Self.line(field(result, "M") ?? message)
            // An error of the library has no code: what has become of the statement is unknown.
            guard let state = unsafe field(result, "C"), unsafe !["FATAL", "PANIC"].contains(field(result, "V")) else {
                return .broken(text)
            }
            let failure = PostgresFailure(.rejected(state: state), text)
            return failure.endsConnection ? .broken(text) : .failure(failure)
        // COPY and the like are not asked for.
        default: return .broken("the server sent an unexpected answer")
        }
    }

    private func field(_ result: OpaquePointer, _ code: Unicode.Scalar) -> String? {
        unsafe pq.PQresultErrorField(result, CInt(code.value)).map { unsafe String(cString: $0) }
    }

    private func rows(_ result: OpaquePointer) -> [PostgresRow] {
        let (rows, columns) = unsafe (pq.PQntuples(result), pq.PQnfields(result))
        return (0..<max(0, rows)).map { row in
            PostgresRow(
                (0..<max(0, columns)).map { column in
                    guard unsafe pq.PQgetisnull(result, row, column) == 0 else { return nil }
                    let size = unsafe Int(pq.PQgetlength(result, row, column))
                    guard let value = unsafe pq.PQgetvalue(result, row, column) else { return nil }
                    return unsafe Array(UnsafeRawBufferPointer(start: value, count: size))
                }
            )
        }
    }

    /// The channel of the next notification by another session.
    func takeNotification() -> String? {
        while let notification = unsafe pq.PQnotifies(connection) {
            defer { unsafe pq.PQfreemem(notification) }
            guard unsafe notification.pointee.be_pid == pq.PQbackendPID(connection) else {
                return unsafe String(cString: notification.pointee.relname)
            }
        }
        return nil
    }
}
