/// The exchanges with bytes that are not handed over yet.
final class Arrivals {
    private var exchanges: [Exchange] = []

    func add(_ exchange: Exchange) {
        // The parts of one exchange come in sequence.
        if exchanges.last !== exchange { exchanges.append(exchange) }
    }

    func dequeue() -> [Exchange] {
        var taken: [Exchange] = []
        swap(&taken, &exchanges)
        return taken
    }
}
