import WireBase
import WireHTTP

/// The body of an answer; letting go of it stops the transfer.
final class ReceivedBody: BodyReader {
    private let exchange: Exchange

    init(of exchange: Exchange) {
        self.exchange = exchange
    }

    deinit {
        exchange.letGo()
    }

    /// Lets a little more come, for the sake of the connection.
    func discard() {
        exchange.discard(upTo: .kibibytes(64))
    }

    func read() async throws -> [UInt8]? {
        try await exchange.read()
    }
}
