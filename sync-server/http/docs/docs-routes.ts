import * as z from 'zod/mini'
import { alreadySent, defineRoute, type Route } from '../core/route.ts'
import type { ApiDescription } from './api-description.ts'
import { describeApi } from './describe-api.ts'
import { docsStyle } from './docs-style.ts'
import { renderDocs } from './render-docs.ts'

/** The description of all calls, for programs and for people. @param root calls outside `/api` */
export function createDocsRoutes(routes: {
  api: readonly Route[]
  root: readonly Route[]
}): Route[] {
  const docsRoutes: Route[] = [
    defineRoute({
      method: 'get',
      path: '/openapi.json',
      access: 'anyone',
      summary: 'This description, in OpenAPI 3.1.',
      status: 200,
      answer: z.looseObject({ openapi: z.string() }),
      handle: async () => ({ ...describe() }),
    }),

    defineRoute({
      method: 'get',
      path: '/docs',
      access: 'anyone',
      summary: 'This description, as a page.',
      status: 200,
      produces: 'text/html',
      answer: z.unknown(),
      async handle({ response }) {
        page ??= renderDocs(describe())
        response.type('html').send(page)
        return alreadySent
      },
    }),

    defineRoute({
      method: 'get',
      path: '/docs.css',
      access: 'anyone',
      summary: 'How the page looks.',
      status: 200,
      produces: 'text/css',
      answer: z.unknown(),
      async handle({ response }) {
        response.type('css').send(docsStyle)
        return alreadySent
      },
    }),
  ]
  let described: ApiDescription | undefined
  let page: string | undefined
  /** At the first question: it would cost a seventh of the server's start. */
  function describe(): ApiDescription {
    described ??= describeApi({ ...routes, api: [...routes.api, ...docsRoutes] })
    return described
  }
  return docsRoutes
}
