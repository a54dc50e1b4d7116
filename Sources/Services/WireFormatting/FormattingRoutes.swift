import WireFormattingContract
import WireHTTP

/// The local API of formats, shared with code in the same process.
struct FormattingRoutes: RouteGroup {
    private let service: FormattingService

    init(_ service: FormattingService) { self.service = service }

    static let table: [RouteEntry<Self>] = [.call(FormattingCalls.fill, by: FormattingRoutes.fill)]

    private func fill(_ request: APIRequest<FormatRequest>) async throws(FormattingFailure) -> APIReply<FormattedText> {
        APIReply(FormattedText(try service.fill(request.input)))
    }
}
