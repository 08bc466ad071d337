import type { TokenHolder } from '../access/token-keeper.ts'
import type { Visit } from '../budget/visit.ts'

declare global {
  namespace Express {
    interface Request {
      /** Names this request in the log and in the `x-request-id` header of its answer. */
      id: string
      /** Set once the bearer token is checked. */
      caller?: TokenHolder
      /** The route as declared, for the log and the metrics. */
      routeName?: string
      /** Why it was refused, for the metrics. */
      refusalCode?: string
      /** What it holds, and how to end it. Set once it is greeted. */
      visit?: Visit
    }
  }
}
