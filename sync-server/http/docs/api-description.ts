import type { JsonSchema } from './json-schema.ts'

/** The part of OpenAPI 3.1 that our description uses. */
export interface ApiDescription {
  openapi: '3.1.0'
  info: { title: string; version: string; description: string }
  servers: { url: string }[]
  tags: { name: string }[]
  paths: Record<string, Record<string, Operation>>
  components: {
    schemas: Record<string, JsonSchema>
    securitySchemes: Record<string, { type: 'http'; scheme: 'bearer'; bearerFormat: string }>
  }
}

export interface Operation {
  operationId: string
  summary: string
  tags: string[]
  servers?: { url: string }[]
  security: Record<string, string[]>[]
  parameters?: Parameter[]
  requestBody?: { required: true; content: Content }
  responses: Record<string, Answer>
}

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  schema: JsonSchema
}

export interface Answer {
  description: string
  content?: Content
}

type Content = Record<string, { schema: JsonSchema }>
