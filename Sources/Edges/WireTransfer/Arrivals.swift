/// The exchanges for which something has come that was not handed over yet.
final class Arrivals {
    private var exchanges: [Exchange] = []

    func add(_ exchange: Exchange) {
        // Parts of one come one after the other.
        if exchanges.last !== exchange { exchanges.append(exchange) }
    }

    func take() -> [Exchange] {
        var taken: [Exchange] = []
        swap(&taken, &exchanges)
        return taken
    }
}
