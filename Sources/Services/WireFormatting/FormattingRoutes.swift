import WireFormattingContract
import WireHTTP

/// What the local API and code in the same process ask of formats.
struct FormattingRoutes: RouteGroup {
    private let service: FormattingService

    init(_ service: FormattingService) { self.service = service }

    static let table: [RouteEntry<Self>] = [.call(FormattingCalls.fill, by: FormattingRoutes.fill)]

    private func fill(_ request: APIRequest<FormatRequest>) async throws(FormattingFailure) -> APIReply<FormattedText> {
        APIReply(FormattedText(try service.fill(request.input)))
    }
}
