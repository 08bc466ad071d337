import type { Route } from '../core/route.ts'
import type { ApiDescription, Operation } from './api-description.ts'
import { describeOperation } from './describe-operation.ts'
import { nameTag } from './name-operation.ts'
import { createSchemaDescriber } from './schema-describer.ts'

const version = '1.0.0'
const about = `Every call of Petrel's server. Errors are answered as \`{error, code}\`: words for a person, and a word for a
program. Times are ISO strings. A call that carries an \`Idempotency-Key\` (a UUID) can be repeated: it is done once.
Documents are replicated beside this, by CouchDB's protocol, at \`/sync/messages\` and \`/sync/conversations\`.`

/**
 * Describes calls in OpenAPI 3.1, from the schemas that parse them. @param root calls outside
 * `/api`
 */
export function describeApi(routes: {
  api: readonly Route[]
  root: readonly Route[]
}): ApiDescription {
  const describer = createSchemaDescriber()
  const paths: Record<string, Record<string, Operation>> = {}
  const place = (route: Route, operation: Operation) => {
    paths[route.path] = { ...paths[route.path], [route.method]: operation }
  }
  for (const route of routes.api) place(route, describeOperation(route, describer))
  for (const route of routes.root) {
    place(route, { ...describeOperation(route, describer), servers: [{ url: '/' }] })
  }
  const tags = new Set([...routes.api, ...routes.root].map(nameTag))
  return {
    openapi: '3.1.0',
    info: { title: 'Petrel', version, description: about.replaceAll('\n', ' ') },
    servers: [{ url: '/api' }],
    tags: [...tags].map((name) => ({ name })),
    paths,
    components: {
      schemas: Object.fromEntries(
        Object.entries(describer.components).sort(([a], [b]) => (a < b ? -1 : 1)),
      ),
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
    },
  }
}
