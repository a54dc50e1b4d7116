import CorewireCLI
import WireBase
import WireHTTP
import WireTransfer

/// The HTTP client of commands that ask servers themselves, with the proxies and the authorities of this process.
enum CommandClient {
    static var options: TransferOptions {
        var options = TransferOptions()
        options.authorities = TrustedAuthorities.ofThisProcess.file
        options.userAgent = "corewire/\(Program.version)"
        return options
    }

    static func make(_ options: TransferOptions = options, orFail message: String) throws(Failure) -> TransferClient {
        do throws(TransferFailure) { return try TransferClient(options) } catch {
            throw Failure(message: "\(message): \(error.reason)", status: .unavailable)
        }
    }
}
