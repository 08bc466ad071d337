import type { Request, Response } from 'express'
import type * as z from 'zod/mini'
import type { ErrorCode } from '../../../schema/api/api-error.ts'
import type { Caller } from '../../access/token-keeper.ts'

/** Who may call a route. What they may do to a thing that it names is checked by its handler. */
export const accessRules = ['anyone', 'signed-in'] as const
export type AccessRule = (typeof accessRules)[number]

/** What a handler returns that has sent its answer itself: a stream, or a page. */
export const alreadySent = Symbol('already sent')

type Fields = z.ZodMiniType
type Output<Schema> = Schema extends z.ZodMiniType ? z.output<Schema> : undefined

/** What a handler is given: everything parsed. `address` is the caller's, as far as limits count it. */
interface Call<Access extends AccessRule, Params, Query, Headers, Body> {
  params: Output<Params>
  query: Output<Query>
  headers: Output<Headers>
  body: Output<Body>
  caller: Access extends 'signed-in' ? Caller : undefined
  address: string
  /** Aborts when nobody waits for the answer any more, or the sign-in has ended. Whoever takes it can be stopped midway. */
  readonly signal: AbortSignal
  request: Request
  response: Response
}

interface RouteOf<
  Access extends AccessRule,
  Params extends Fields | undefined,
  Query extends Fields | undefined,
  Headers extends Fields | undefined,
  Body extends Fields | undefined,
  Answer extends Fields,
> {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete'
  /** In OpenAPI's form: `/users/{id}`. */
  path: `/${string}`
  access: Access
  summary: string
  params?: Params
  query?: Query
  headers?: Headers
  body?: Body
  /** The part of a multipart form that carries a file, where that is the body. */
  filePart?: string
  /** The media type of a body that the handler reads itself, a piece at a time. */
  consumes?: string
  status: 200 | 201 | 202
  /** Other statuses that the handler sets on the response, and what each means. */
  otherStatuses?: Partial<Record<200 | 206 | 207 | 304, string>>
  answer: Answer
  /** The media type of an answer that is not JSON. */
  produces?: string
  /** Refusals beyond those that any call can meet. */
  errors?: readonly ErrorCode[]
  handle(
    call: Call<Access, Params, Query, Headers, Body>,
  ): Promise<z.input<Answer> | typeof alreadySent>
}

/** A route whose own types are forgotten: what the router and the API description read. */
export type Route = Omit<
  RouteOf<
    AccessRule,
    Fields | undefined,
    Fields | undefined,
    Fields | undefined,
    Fields | undefined,
    Fields
  >,
  'handle'
> & {
  handle(call: unknown): Promise<unknown>
}

/** Declares one call: its path, who may make it, what it takes and what it answers. */
export function defineRoute<
  Access extends AccessRule,
  Answer extends Fields,
  Params extends Fields | undefined = undefined,
  Query extends Fields | undefined = undefined,
  Headers extends Fields | undefined = undefined,
  Body extends Fields | undefined = undefined,
>(route: RouteOf<Access, Params, Query, Headers, Body, Answer>): Route {
  // The mounted route parses each part with this route's own schemas before it calls the handler.
  return route as unknown as Route
}
