import type { RequestCalls } from '../requests/request-calls.ts'

type Block = Parameters<RequestCalls['users']['setBlocked']>[0]

/** The calls; a block that the server has accepted is recorded before its request is over. */
export function recordBlocks(
  calls: RequestCalls,
  record: (change: Block) => Promise<void>,
): RequestCalls {
  const { own, messages, users } = calls
  return {
    own,
    messages,
    users: {
      async setBlocked(change, options) {
        const answer = await users.setBlocked(change, options)
        await record(change)
        return answer
      },
      report: (given, options) => users.report(given, options),
    },
  }
}
