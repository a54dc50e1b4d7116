"""What a person sees and does of GraphQL, before a made-up runner; `page_test.py` runs these with its own."""

import json

from browser import HOSTILE, expect, nothing_was_injected, sign_in
from mock_runner import now

REFUSALS = ("Failed to load resource: the server responded with a status of 4",)

OPERATIONS = [
    {"name": "AllTasks", "kind": "query", "variables": [], "reads": ["Query.findTasks"]},
    {"name": "UpdateTask", "kind": "mutation", "variables": [{"name": "input", "type": "MutateTaskInput!"}], "reads": []},
    {"name": "OpenTasks", "kind": "query", "variables": [{"name": "ward", "type": "ID"}, {"name": "page", "type": "Int!"}],
     "reads": []},
    {"name": "TaskAdded", "kind": "subscription", "variables": [], "reads": []},
]
CONFLICT = {
    "id": "m1", "operation": "UpdateTask", "state": "conflict", "lane": "sync/0", "made": now() - 60_000,
    "reason": "the task has changed", "deadline": now() + 7_200_000,
    "conflict": {"base": {"title": "Old", "note": None}, "server": {"title": "Theirs", "note": "x"},
                 "client": {"title": "Mine", "note": "y"}, "fields": ["title", "note"]}}
VARIABLES = {"input": {"id": "light", "title": "Mine", "note": "y", "_version": 1}}


def declared(runner, operations=OPERATIONS):
    runner.answers["GET", "/v1/sync/operations"] = 200, {"operations": list(operations)}


def queued(runner, mutations=(), requests=()):
    runner.answers["GET", "/v1/sync/queue"] = 200, {"mutations": list(mutations)}
    runner.answers["GET", "/v1/outbox"] = 200, {"requests": list(requests), "waiting": len(requests), "paused": False}


def opened(page, url):
    sign_in(page, url, "sync")
    expect(page.locator("#panel-sync")).to_be_visible()


def what_was_asked(runner, path, method="POST"):
    return [body for one, other, body in list(runner.asked) if (one, other) == (method, path)]


def a_declared_query_is_run_with_variables_and_policy(runner, page, url):
    declared(runner)
    runner.answers["POST", "/v1/sync/query"] = 200, {
        "data": {"findTasks": {"items": [{"id": "light"}]}}, "source": "cache", "age": 12, "stale": True,
        "errors": [{"message": "no ward", "path": ["findTasks", "items", 0, "ward"], "extensions": {"code": "NO_WARD"}}]}
    opened(page, url)
    panel = page.locator("#panel-sync")
    expect(panel).to_contain_text("4 declared operations")
    expect(panel.locator("[data-operation=OpenTasks]")).to_contain_text("ward: ID, page: Int!")
    expect(panel.locator("[data-operation=TaskAdded]").get_by_role("button")).to_have_count(0)
    # By the keyboard alone.
    panel.get_by_role("button", name="Choose OpenTasks").press("Enter")
    expect(panel.get_by_label("Variables, a JSON object")).to_be_focused()
    assert json.loads(page.input_value("#sync-variables")) == {"page": 0}, "what must be given is not there"
    panel.get_by_label("Variables, a JSON object").fill('{"ward": "3B", "page": 2}')
    panel.get_by_label("Policy").select_option("cacheOnly")
    page.locator("#sync-go").press("Enter")
    answer = page.locator("#sync-answer")
    expect(answer).to_contain_text("from the cache, 12 s old, stale")
    expect(answer).to_contain_text("partial, 1 error")
    expect(answer.locator("li")).to_contain_text("findTasks.items.0.ward no ward NO_WARD")
    expect(answer.get_by_role("region", name="Response data")).to_contain_text('"id": "light"')
    expect(page.locator("#announcer")).to_contain_text("OpenTasks: from the cache")
    expect(page.locator("#sync-go")).to_be_enabled()
    assert what_was_asked(runner, "/v1/sync/query") == [
        {"operation": "OpenTasks", "variables": {"ward": "3B", "page": 2}, "policy": "cacheOnly"}]


def a_mutation_is_run_and_what_is_typed_outlives_a_reload_of_the_panel(runner, page, url):
    declared(runner)
    runner.answers["POST", "/v1/sync/mutate"] = 202, {
        "data": {"updateTask": {"id": "light"}}, "source": "queue", "id": "m1", "state": "accepted"}
    opened(page, url)
    page.locator("#sync-operation").select_option("UpdateTask")
    expect(page.locator("#sync-policy-part")).to_be_hidden()
    page.fill("#sync-variables", '{"input": {"id": "light"')
    page.click("#sync-go")
    expect(page.locator("#sync-problem")).to_contain_text("The variables are not JSON")
    expect(page.locator("#sync-variables")).to_be_focused()
    assert not what_was_asked(runner, "/v1/sync/mutate"), "what is no JSON was sent"
    page.fill("#sync-variables", '[1]')
    page.click("#sync-go")
    expect(page.locator("#sync-problem")).to_contain_text("The variables are not a JSON object")
    page.fill("#sync-variables", '{"input": {"id": "light"}}')
    with page.expect_response("**/v1/sync/operations"):
        declared(runner, OPERATIONS[1:])
        runner.emit("generation.applied", {})
    expect(page.locator("#panel-sync")).to_contain_text("3 declared operations")
    expect(page.locator("#sync-operation")).to_have_value("UpdateTask")
    expect(page.locator("#sync-variables")).to_have_value('{"input": {"id": "light"}}')
    page.click("#sync-go")
    expect(page.locator("#sync-answer")).to_contain_text(
        "expected result, not sent yet, the mutation is accepted · m1")
    expect(page.locator("#sync-problem")).to_be_hidden()
    assert what_was_asked(runner, "/v1/sync/mutate") == [
        {"operation": "UpdateTask", "variables": {"input": {"id": "light"}}}]
    runner.answers["POST", "/v1/sync/mutate"] = 400, {"title": "no", "detail": "unknown field 'x'", "help": "see 'sync schema'"}
    page.click("#sync-go")
    expect(page.locator("#sync-problem")).to_have_text("unknown field 'x'; see 'sync schema'")
    expect(page.locator("#sync-answer")).to_be_empty()
    return REFUSALS


def a_large_or_deep_answer_is_cut(runner, page, url):
    declared(runner)
    deep = []
    for _ in range(400):
        deep = [deep]
    runner.answers["POST", "/v1/sync/query"] = 200, {"source": "server", "data": {
        "deep": deep, "text": "t" * 3_000_000, "list": list(range(200_000))},
        "errors": [{"message": "e" * 100_000, "path": ["p"] * 100_000}] + [{"message": "e" * 500}] * 1_999}
    opened(page, url)
    page.click("#sync-go")
    expect(page.locator("#sync-answer")).to_contain_text("Only the beginning is shown")
    expect(page.locator("#sync-answer")).to_contain_text("and 1980 more errors")
    length = page.evaluate("document.querySelector('#sync-answer').textContent.length")
    assert length < 60_000, f"{length} characters are shown"


def mutations_wait_and_arrive(runner, page, url):
    waiting = {"id": "m2", "operation": "CreateTask", "state": "sent", "lane": "sync/0", "made": now() - 30_000,
               "temporaryId": "local-1", "reason": "the server responded with status 503"}
    queued(runner, [waiting, {**waiting, "id": "m3", "state": "accepted", "temporaryId": "local-2"}],
           [{"id": "r1", "service": "app", "lane": "sync/0", "state": "waiting"},
            {"id": "r2", "service": "sync", "lane": "sync/0", "state": "waiting"},
            {"id": "r3", "service": "sync", "lane": "sync/0", "state": "waiting"}])
    runner.answers["POST", "/v1/outbox/r2/retry"] = 200, {}
    runner.answers["DELETE", "/v1/sync/queue/m3"] = 409, {"title": "no", "detail": "it is on its way"}
    opened(page, url)
    panel = page.locator("#panel-sync-queue")
    expect(panel).to_contain_text("2 waiting")
    expect(panel.locator("[data-mutation=m2]")).to_contain_text("object local-1")
    expect(panel.locator("[data-mutation=m2]")).to_contain_text("the server responded with status 503")
    expect(panel.get_by_role("button", name="Retry CreateTask")).to_have_count(1)
    panel.locator("[data-mutation=m2]").get_by_role("button", name="Retry CreateTask").click()
    expect(page.locator("#announcer")).to_contain_text("Retry: done.")
    assert ("POST", "/v1/outbox/r2/retry", {}) in runner.asked, "nobody asked for it"
    panel.locator("[data-mutation=m3]").get_by_role("button", name="Delete CreateTask").click()
    expect(panel.locator(".panel-error [role=alert]")).to_have_text("it is on its way")
    queued(runner, [{**waiting, "state": "confirmed", "reason": None, "realId": "17", "resolutions": [
        {"strategy": "merge", "time": now(), "fields": ["title"], "overwritten": ["title"], "replaced": {"title": "Theirs"}}]}])
    runner.emit("sync.mutation.confirmed", {"id": "m2"})
    expect(panel).to_contain_text("empty")
    expect(panel.locator("[data-mutation=m2]")).to_contain_text("id at the server 17")
    expect(panel.locator("[data-mutation=m2]")).to_contain_text("resolved by the services file (merge)")
    expect(panel.locator("[data-mutation=m2]")).to_contain_text('overwritten: title, previously "Theirs"')
    return REFUSALS


def a_conflict_is_decided_for_a_side_or_with_values_of_ones_own(runner, page, url):
    queued(runner, [CONFLICT])
    runner.answers["GET", "/v1/sync/queue/m1"] = 200, {**CONFLICT, "variables": VARIABLES}
    runner.answers["POST", "/v1/sync/queue/m1/resolve"] = 409, {"title": "no", "detail": "the mutation 'm1' is sent"}
    opened(page, url)
    panel = page.locator("#panel-sync-queue")
    expect(panel).to_contain_text("1 conflict")
    expect(panel).to_contain_text("changed on both sides: title, note")
    panel.get_by_role("button", name="Resolve UpdateTask").press("Enter")
    dialog = page.get_by_role("dialog", name="Conflict of UpdateTask")
    expect(dialog).to_contain_text("the task has changed")
    for side in ("Old", "Theirs", "Mine"):
        expect(dialog.locator("[data-field=title]")).to_contain_text(f'"{side}"')
    dialog.get_by_role("button", name="Keep the server's values").click()
    expect(dialog.get_by_role("alert")).to_have_text("the mutation 'm1' is sent")
    dialog.get_by_role("button", name="Server value of title").click()
    expect(dialog.get_by_label("Variables to send")).to_be_focused()
    merged = json.loads(dialog.get_by_label("Variables to send").input_value())
    assert merged == {"input": {**VARIABLES["input"], "title": "Theirs"}}, merged
    dialog.get_by_label("Variables to send").fill("{")
    dialog.get_by_role("button", name="Send these variables").click()
    expect(dialog.get_by_role("alert")).to_contain_text("This is not JSON")
    runner.answers["POST", "/v1/sync/queue/m1/resolve"] = 200, {**CONFLICT, "state": "sent"}
    dialog.get_by_label("Variables to send").fill('{"input": {"id": "light", "title": "Both", "_version": 1}}')
    dialog.get_by_role("button", name="Send these variables").click()
    expect(dialog).to_be_hidden()
    expect(page.locator("#announcer")).to_contain_text("Send these variables: done.")
    panel.get_by_role("button", name="Resolve UpdateTask").click()
    dialog.get_by_role("button", name="Send the mutation's values").click()
    expect(dialog).to_be_hidden()
    assert what_was_asked(runner, "/v1/sync/queue/m1/resolve") == [
        {"side": "server"}, {"variables": {"input": {"id": "light", "title": "Both", "_version": 1}}}, {"side": "client"}]
    return REFUSALS


def values_that_are_not_edited_are_sent_as_they_came(runner, page, url):
    turned, large = "\u202e\u05e9\u05dc\u05d5\u05dd\u200f", 9007199254740993
    values = {"id": large, "title": turned, "note": "y" * 300_000, "text": '"1.0" 9007199254740993'}
    conflict = {**CONFLICT["conflict"], "server": {"title": turned, "note": large}, "fields": ["title", "note"]}
    queued(runner, [{**CONFLICT, "conflict": conflict}])
    runner.answers["GET", "/v1/sync/queue/m1"] = 200, {**CONFLICT, "conflict": conflict, "variables": {"input": values}}
    runner.answers["POST", "/v1/sync/queue/m1/resolve"] = 200, {**CONFLICT, "state": "sent"}
    opened(page, url)
    dialog = page.get_by_role("dialog", name="Conflict of UpdateTask")
    for field, merged in ((None, {}), ("title", {}), ("note", {"note": large})):
        page.locator("#panel-sync-queue").get_by_role("button", name="Resolve UpdateTask").click()
        if field is not None:
            dialog.get_by_role("button", name=f"Server value of {field}").click()
        shown = dialog.get_by_label("Variables to send").input_value()
        assert "\u202e" not in shown and "\u200f" not in shown, "a mark that turns text round is on the page"
        expect(dialog.locator("[data-field=note]")).to_contain_text(str(large))
        dialog.get_by_role("button", name="Send these variables").click()
        expect(dialog).to_be_hidden()
        sent = what_was_asked(runner, "/v1/sync/queue/m1/resolve")[-1]
        assert sent == {"variables": {"input": {**values, **merged}}}, "the variables have changed"


def the_cache_is_cleared_when_it_is_confirmed(runner, page, url):
    runner.answers["GET", "/v1/sync/cache"] = 200, {
        "records": 5, "size": 2_000, "maxSize": 67_108_864, "types": [{"type": "Task", "records": 3}, {"type": "Ward", "records": 2}]}
    opened(page, url)
    panel = page.locator("#panel-sync-cache")
    expect(panel).to_contain_text("5 records, 2.0 kB of 67.1 MB")
    expect(panel.locator("[data-type=Task]")).to_contain_text("3")
    panel.get_by_role("button", name="Clear…").click()
    dialog = page.get_by_role("dialog", name="Clear the GraphQL cache?")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    assert not what_was_asked(runner, "/v1/sync/cache", "DELETE"), "it was cleared without a confirmation"
    panel.get_by_role("button", name="Clear…").click()

    def cleared():
        runner.answers["GET", "/v1/sync/cache"] = 200, {"records": 0, "size": 0, "maxSize": 67_108_864, "types": []}
        return 200, {"records": 5}

    runner.answers["DELETE", "/v1/sync/cache"] = cleared
    dialog.get_by_role("button", name="Clear the cache", exact=True).click()
    expect(panel).to_contain_text("The cache is empty")
    expect(panel.get_by_role("button", name="Clear…")).to_have_count(0)
    expect(page.locator("#announcer")).to_contain_text("Clear the cache: done.")


def live_subscriptions_are_told(runner, page, url):
    runner.answers["GET", "/v1/sync/subscriptions"] = 200, {"delta": [], "subscriptions": [
        {"number": 1, "name": "news", "operation": "TaskAdded", "declared": True, "state": "active", "since": now() - 60_000,
         "messages": 7, "gaps": 1},
        {"number": 2, "operation": "TaskUpdated", "declared": False, "state": "waiting", "since": now(), "messages": 0, "gaps": 0,
         "lastError": "the server closed with 4429"}]}
    opened(page, url)
    panel = page.locator("#panel-sync-subscriptions")
    expect(panel).to_contain_text("2 live")
    expect(panel.locator("[data-subscription='1']")).to_contain_text("newsdeclaredTaskAdded1 gap: messages may have been missed7")
    expect(panel.locator("[data-subscription='2']")).to_contain_text("the server closed with 4429")


def a_file_that_queues_nothing_has_no_queue(runner, page, url):
    runner.answers["GET", "/v1/sync/queue"] = 404, {"title": "mutations are not queued", "detail": "mutations are not queued"}
    runner.answers["GET", "/v1/sync/subscriptions"] = 404, {"title": "not found"}
    opened(page, url)
    expect(page.locator("#panel-sync-cache")).to_be_visible()
    expect(page.locator("#panel-sync-queue")).to_be_hidden()
    expect(page.locator("#panel-sync-subscriptions")).to_be_hidden()
    return REFUSALS


def nothing_of_graphql_becomes_markup(runner, page, url):
    turned = "a\u202eb"
    declared(runner, [{"name": HOSTILE, "kind": "query", "variables": [{"name": HOSTILE, "type": HOSTILE, "default": HOSTILE}]}])
    values = {HOSTILE: HOSTILE, turned: turned}
    resolution = {"strategy": HOSTILE, "time": now(), "fields": [HOSTILE], "overwritten": [HOSTILE], "replaced": values}
    queued(runner, [{**CONFLICT, "operation": HOSTILE, "reason": HOSTILE, "temporaryId": HOSTILE, "realId": HOSTILE,
                     "errors": [{"message": HOSTILE}], "resolutions": [resolution],
                     "conflict": {"base": values, "server": values, "client": values, "fields": [HOSTILE, turned]}}])
    runner.answers["GET", "/v1/sync/queue/m1"] = 200, {
        **CONFLICT, "operation": HOSTILE, "reason": HOSTILE, "variables": {"input": values},
        "conflict": {"base": values, "server": values, "client": values, "fields": [HOSTILE]}}
    runner.answers["GET", "/v1/sync/cache"] = 200, {
        "records": 1, "size": 1, "maxSize": 2, "types": [{"type": HOSTILE, "records": 1}]}
    runner.answers["GET", "/v1/sync/subscriptions"] = 200, {"subscriptions": [
        {"number": 1, "operation": HOSTILE, "name": "x", "state": HOSTILE, "since": now(), "lastError": HOSTILE}]}
    runner.answers["POST", "/v1/sync/query"] = 200, {
        "data": values, "source": HOSTILE, "id": HOSTILE, "errors": [
            {"message": HOSTILE, "path": [HOSTILE, 1], "extensions": {"code": HOSTILE}}, None, 7]}
    opened(page, url)
    page.click("#sync-go")
    expect(page.locator("#sync-answer")).to_contain_text("3 errors")
    page.locator("#panel-sync-queue").get_by_text("Resolve…").click()
    expect(page.locator("#prompt")).to_be_visible()
    expect(page.locator("#panel-sync-cache")).to_contain_text("1 record")
    nothing_was_injected(page)
    assert "\u202e" not in page.content(), "a mark that turns text round is on the page"
