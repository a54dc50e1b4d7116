import Glibc
package import WireBase

/// Reads a secret: without echo on a terminal, otherwise a line of standard input.
package enum HiddenInput {
    static var isTerminal: Bool { Console.isTerminal(STDIN_FILENO) }

    package static func ask(_ question: String, upTo limit: ByteCount = .kibibytes(1)) throws -> Secret<String> {
        guard isTerminal else { return try line(upTo: limit.bytes) }
        Console.printError(question)
        guard let former = hideTyping() else { return try line(upTo: limit.bytes) }
        defer {
            show(former)
            Console.printError("\n")
        }
        return try line(upTo: limit.bytes)
    }

    // MARK: The terminal

    private static func hideTyping() -> termios? {
        var former = termios()
        guard unsafe tcgetattr(STDIN_FILENO, &former) == 0 else { return nil }
        var silent = former
        // Signals are off, so that an interrupt does not leave the terminal without echo.
        silent.c_lflag &= ~tcflag_t(ECHO | ISIG)
        guard unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent) == 0 else { return nil }
        return former
    }

    private static func show(_ former: termios) {
        var former = former
        _ = unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &former)
    }

    private static let interrupts: Set<UInt8> = [0x03, 0x1c]

    private static func line(upTo limit: Int) throws -> Secret<String> {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while bytes.count <= limit {
            let count = unsafe read(STDIN_FILENO, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count > 0, byte != UInt8(ascii: "\n") else { break }
            guard !interrupts.contains(byte) else { throw Failure(message: "interrupted", status: .problemsFound) }
            bytes.append(byte)
        }
        if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        guard !bytes.isEmpty else { throw Failure(message: "the input is empty", status: .problemsFound) }
        guard bytes.count <= limit else {
            throw Failure(message: "the input is longer than \(limit) bytes", status: .problemsFound)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Failure(message: "the input is not UTF-8 text", status: .problemsFound)
        }
        return Secret(text)
    }
}
