import type { Request, Response } from 'express'
import type * as z from 'zod/mini'
import type { ErrorCode } from '../../../schema/api/api-error.ts'
import type { Caller } from '../../access/token-keeper.ts'

/** Who may call a route. Its handler checks access to the resource. */
export const accessRules = ['anyone', 'signed-in', 'admin'] as const
export type AccessRule = (typeof accessRules)[number]

/** Returned by a handler that has sent its answer itself: a stream, or a page. */
export const alreadySent = Symbol('already sent')

type Fields = z.ZodMiniType
type Output<Schema> = Schema extends z.ZodMiniType ? z.output<Schema> : undefined

/** A handler's input, all parsed. `address` is the caller's, as limits count it. */
interface Call<Access extends AccessRule, Params, Query, Headers, Body> {
  params: Output<Params>
  query: Output<Query>
  headers: Output<Headers>
  body: Output<Body>
  caller: Access extends 'anyone' ? undefined : Caller
  address: string
  /**
   * Aborts when the caller is gone or the sign-in ended. Taking it makes the request cancellable
   * midway.
   */
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
  /** The media type of a body that the handler reads itself, in pieces. */
  consumes?: string
  status: 200 | 201 | 202
  /** Other statuses that the handler sets, and what each means. */
  otherStatuses?: Partial<Record<200 | 206 | 207 | 304, string>>
  answer: Answer
  /** The media type of an answer that is not JSON. */
  produces?: string
  /** Refusals beyond those of every call. */
  errors?: readonly ErrorCode[]
  handle(
    call: Call<Access, Params, Query, Headers, Body>,
  ): Promise<z.input<Answer> | typeof alreadySent>
}

/** A route without its own types, as the router and the API description read it. */
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

/** Declares one call: its path, access rule, inputs and answer. */
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
