import WireBase
import WireHTTP

/// The body of a response; releasing it cancels the transfer.
final class ReceivedBody: BodyReader {
    private let exchange: TransferExchange

    init(of exchange: TransferExchange) {
        self.exchange = exchange
    }

    deinit {
        exchange.release()
    }

    /// Accepts and drops a small rest of the body to keep the connection.
    func discard() {
        exchange.discard(upTo: .kibibytes(64))
    }

    func read() async throws -> [UInt8]? {
        try await exchange.read()
    }
}
