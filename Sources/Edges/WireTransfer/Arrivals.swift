/// The exchanges with bytes that are not handed over yet.
final class Arrivals {
    private var exchanges: [TransferExchange] = []

    func add(_ exchange: TransferExchange) {
        // The parts of one exchange come in sequence.
        if exchanges.last !== exchange { exchanges.append(exchange) }
    }

    func dequeue() -> [TransferExchange] {
        var taken: [TransferExchange] = []
        swap(&taken, &exchanges)
        return taken
    }
}
