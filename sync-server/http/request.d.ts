import type { Caller } from '../access/create-token-keeper.ts'

declare global {
  namespace Express {
    interface Request {
      /** Names this request in the log and in the `x-request-id` header of its answer. */
      id: string
      /** Set once the bearer token is checked. */
      caller?: Caller
      /** The route as declared, for the log and the metrics. */
      routeName?: string
      /** Why it was refused, for the metrics. */
      refusalCode?: string
    }
  }
}
