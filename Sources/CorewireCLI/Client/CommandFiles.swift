package import WireBase

/// File access of commands; errors end the command.
package enum CommandFiles {
    /// Reads standard input.
    package static func standardInput(upTo limit: ByteCount) throws(Failure) -> [UInt8] {
        do throws(Fault) { return try Files.read("-", upTo: limit) } catch {
            throw Failure(message: "cannot read standard input: \(error.reason)", status: .inputOutput)
        }
    }

    /// Reads a file with a given function; errors name the variable that names the file.
    package static func reading<Value>(
        _ path: String,
        namedBy variable: String? = nil,
        _ read: () throws(Fault) -> Value
    ) throws(Failure) -> Value {
        do throws(Fault) { return try read() } catch {
            let message = "cannot read \(path.quoted): \(error.reason)"
            let help = variable.map { "the variable \($0) names this file: change or unset it" }
            throw Failure(message: message, status: .noInput, help: help)
        }
    }

    static func replace(_ path: String, with bytes: [UInt8]) throws(Failure) {
        do throws(Fault) { try Files.replace(path, with: bytes) } catch {
            throw Failure(message: "cannot write \(path.quoted): \(error.reason)", status: .cannotCreate)
        }
    }
}
