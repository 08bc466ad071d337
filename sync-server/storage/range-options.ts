export interface RangeOptions {
  startkey?: string
  endkey?: string
  limit?: number
  descending?: boolean
}
