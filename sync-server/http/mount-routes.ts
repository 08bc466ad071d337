import express, { type RequestHandler, type Router } from 'express'
import type * as z from 'zod/mini'
import { wireHeader } from '../../schema/api/wire.ts'
import { limits } from '../../schema/limits.ts'
import { budgetLimits } from '../budget/budget-limits.ts'
import { type Doorman, visitOf } from '../budget/doorman.ts'
import type { AccessCheck } from './core/access-check.ts'
import { createJsonReader } from './core/json-reader.ts'
import { networkKey } from './core/network-key.ts'
import { listErrors, RequestRefused } from './core/request-refused.ts'
import { accessRules, alreadySent, type Route } from './core/route.ts'
import { completeEntities } from './core/whole-entities.ts'

/**
 * Mounts routes: checks the caller first, then their limits, then reads the body, then parses every
 * part.
 * @throws Error at the start for a route without an access rule, or for two routes of one address
 */
export function mountRoutes(options: {
  routes: readonly Route[]
  accessCheck: AccessCheck
  /** Refuses whoever is no admin; without it nobody is one. */
  requireAdmin?: RequestHandler
  doorman: Pick<Doorman, 'admit' | 'takeBody'>
  checkAnswers: boolean
}): Router {
  const router = express.Router({ caseSensitive: true })
  const { doorman } = options
  const readSignedIn = createJsonReader({
    limitBytes: limits.jsonBodyMaxBytes,
    valuesMax: budgetLimits.jsonBodyMaxValues,
  })
  const readers = {
    anyone: createJsonReader({
      limitBytes: budgetLimits.strangerBodyMaxBytes,
      valuesMax: budgetLimits.strangerBodyMaxValues,
    }),
    'signed-in': readSignedIn,
    admin: readSignedIn,
  }
  const byPath = new Map<string, Route[]>()
  for (const route of options.routes) {
    requireAccessRule(route)
    const others = byPath.get(route.path) ?? []
    if (others.some((other) => other.method === route.method)) {
      throw new Error(`${nameRoute(route)} is declared twice`)
    }
    byPath.set(route.path, [...others, route])
  }
  for (const [path, routes] of [...byPath].sort(([a], [b]) => comparePaths(a, b))) {
    const place = router.route(toExpressPath(path))
    for (const route of routes) {
      const steps = [setRoute(route), ...checkAccess(route, options), doorman.admit]
      if (route.body) steps.push(doorman.takeBody(readers[route.access]))
      place[route.method](...steps, answer(route, options.checkAnswers))
    }
    place.all(refuseMethod(routes))
  }
  return router
}

/** Fixed addresses match before those with an id, in whatever order they are declared. */
function comparePaths(a: string, b: string): number {
  const asKey = (path: string) => path.replace(/\{\w+\}/g, '\uffff')
  return asKey(a) < asKey(b) ? -1 : 1
}

function requireAccessRule(route: Route) {
  if (accessRules.includes(route.access)) return
  throw new Error(`${nameRoute(route)} has no access rule, so it cannot be served`)
}

function nameRoute(route: Route): string {
  return `${route.method.toUpperCase()} ${route.path}`
}

function toExpressPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1')
}

/** Logs the route, never the address, which can carry search terms. */
function setRoute(route: Route): RequestHandler {
  return (request, _response, next) => {
    request.routeName = `${request.baseUrl}${route.path}`
    next()
  }
}

function checkAccess(
  route: Route,
  options: { accessCheck: AccessCheck; requireAdmin?: RequestHandler },
): RequestHandler[] {
  const { accessCheck, requireAdmin = refuseEverybody } = options
  if (route.access === 'anyone') return []
  return [accessCheck.requireCaller, ...(route.access === 'admin' ? [requireAdmin] : [])]
}

const refuseEverybody: RequestHandler = () => {
  throw new RequestRefused('not_found')
}

/** An undeclared refusal is a bug in the route, for tests to find. */
function requireDeclared(route: Route, error: unknown) {
  if (!(error instanceof RequestRefused) || listErrors(route).includes(error.reason)) return
  throw new Error(`${nameRoute(route)} does not declare ${error.reason}`)
}

function answer(route: Route, checkAnswers: boolean): RequestHandler {
  const respond = handleRoute(route, checkAnswers)
  if (!checkAnswers) return respond
  return async (request, response, next) => {
    try {
      await respond(request, response, next)
    } catch (error) {
      requireDeclared(route, error)
      throw error
    }
  }
}

function handleRoute(route: Route, checkAnswers: boolean): RequestHandler {
  return async (request, response) => {
    response.status(route.status)
    const result = await route.handle({
      params: parsePart(route.params, request.params),
      query: parsePart(route.query, request.query),
      headers: parsePart(route.headers, request.headers),
      body: parsePart(route.body, request.body),
      caller: request.caller,
      address: networkKey(request.ip ?? ''),
      get signal() {
        return visitOf(request).takeSignal()
      },
      request,
      response,
    })
    if (result === alreadySent || response.headersSent) return
    const shown = checkAnswers ? route.answer.parse(result) : result
    // The app's own protocol leaves out what has no value, and has a version of its own.
    const isOfApp = request.get(wireHeader) !== undefined
    response.json(isOfApp ? shown : completeEntities(route.answer, shown))
  }
}

function refuseMethod(routes: readonly Route[]): RequestHandler {
  const allowed = routes.map((route) => route.method.toUpperCase())
  const allow = [...allowed, ...(allowed.includes('GET') ? ['HEAD'] : [])].join(', ')
  return () => {
    throw new RequestRefused('method_not_allowed', { headers: { allow } })
  }
}

/**
 * Parses one part of a request.
 * @throws RequestRefused `invalid_input` with the words or details of the first issue
 */
function parsePart(schema: z.ZodMiniType | undefined, value: unknown): unknown {
  if (!schema) return undefined
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  // Schemas have their own words for what a person can fix; zod/mini only says "Invalid input".
  if (issue && issue.message !== 'Invalid input') {
    throw new RequestRefused('invalid_input', { words: issue.message })
  }
  throw new RequestRefused('invalid_input', { details: describe(issue) })
}

function describe(issue: z.core.$ZodIssue | undefined): string | undefined {
  if (!issue) return undefined
  const where = issue.path.map(String).join('.') || 'This request'
  return issue.code === 'invalid_type'
    ? `${where} must be ${issue.expected}`
    : `${where} is not valid`
}
