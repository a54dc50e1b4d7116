import WireAddonContract
import WireBase

extension AddonRegistry {
    private enum Step {
        case said(AddonSignInEnd)
        /// An add-on has joined, left or restarted.
        case changed
        /// The sign-in has ended meanwhile.
        case late
    }

    /// Asks all add-ons with the sign-in hook at once; the first with a result ends the question for the others.
    ///
    /// While the sign-in continues, add-ons that join or restart are asked too.
    func signIn(_ wish: AddonSignIn) async -> AddonSignInEnd {
        let ends = wish.patience.map { clock.monotonic() + $0 }
        return await withTaskGroup(of: Step.self) { group in
            defer { group.cancelAll() }
            if wish.isOpen, let patience = wish.patience {
                group.addTask { [clock] in
                    try? await clock.sleep(patience)
                    return .late
                }
            }
            var known: Set<AddonStart> = []
            var (hasAsked, isLooking) = (false, false)
            while true {
                let before = hooks?.changes.count ?? 0
                let left = ends.map { max(.zero, $0 - clock.monotonic()) }
                let question = AddonQuestion.signIn(AddonSignIn(wish.way, patience: left))
                for seat in answering(question, where: { known.insert($0.start).inserted }) {
                    hasAsked = true
                    group.addTask { .said(await Self.ask(seat, question)) }
                }
                guard !isOver, hasAsked || wish.isOpen else { return .nobody }
                if wish.isOpen, !isLooking, let changes = hooks?.changes {
                    isLooking = true
                    group.addTask {
                        await changes.wait(after: before)
                        return .changed
                    }
                }
                switch await group.next() {
                case .said(.answered(let answer, let name, let origin)):
                    return .answered(answer, by: name, origin: origin)
                case .said: break
                case .changed where !Task.isCancelled: isLooking = false
                case .changed, .late, nil: return .nothing
                }
            }
        }
    }

    private static func ask(_ seat: any AddonConnection, _ question: AddonQuestion) async -> AddonSignInEnd {
        guard case .signIn(let answer)? = await seat.ask(question) else { return .nothing }
        return .answered(answer, by: seat.name, origin: seat.origin)
    }
}
