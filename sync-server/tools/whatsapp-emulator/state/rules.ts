import * as z from 'zod/mini'

/** A fault that a test requests: for which calls, how often, and with which result. */
export const rule = z.strictObject({
  match: z.strictObject({
    /** Digits of the recipient. */
    to: z.optional(z.string()),
    type: z.optional(z.string()),
    /** Occurs anywhere in the request's body. */
    text: z.optional(z.string()),
    /** Such as `POST number/messages` or `GET media`. */
    endpoint: z.optional(z.string()),
  }),
  times: z._default(z.number().check(z.int(), z.gte(1)), 1),
  respond: z.strictObject({
    status: z.optional(z.number()),
    error: z.optional(
      z.strictObject({
        code: z.number(),
        details: z.optional(z.string()),
        isTransient: z.optional(z.boolean()),
      }),
    ),
    /** Cuts the connection without an answer. */
    drop: z.optional(z.boolean()),
    /** Delays the answer, in the emulator's time. */
    delayMs: z.optional(z.number()),
    /** Accepted, then failed by a webhook with this code. */
    asyncError: z.optional(z.number()),
  }),
})
export type Rule = z.infer<typeof rule>

export interface Matchable {
  endpoint: string
  to?: string
  type?: string
  text?: string
}

export type Rules = ReturnType<typeof createRules>

export function createRules() {
  const rules: Rule[] = []

  function fits({ match }: Rule, call: Matchable): boolean {
    return (
      (match.endpoint === undefined || match.endpoint === call.endpoint) &&
      (match.to === undefined || match.to === call.to) &&
      (match.type === undefined || match.type === call.type) &&
      (match.text === undefined || (call.text ?? '').includes(match.text))
    )
  }

  return {
    add: (one: Rule) => rules.push({ ...one }),

    /** The first matching rule, which this uses up by one. */
    take(call: Matchable): Rule['respond'] | undefined {
      const found = rules.find((one) => fits(one, call))
      if (!found) return undefined
      found.times -= 1
      if (found.times === 0) rules.splice(rules.indexOf(found), 1)
      return found.respond
    },

    reset() {
      rules.length = 0
    },
  }
}
