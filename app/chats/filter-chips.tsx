import styles from './chat-list-panel.module.css'
import { type ListFilter, listFilters } from './filter-rows.ts'

interface FilterChipsProps {
  filter: ListFilter
  onChange(filter: ListFilter): void
}

export function FilterChips({ filter, onChange }: FilterChipsProps) {
  return (
    <fieldset className={styles.chips} aria-label="Filter chats">
      {listFilters.map((name) => (
        <button
          key={name}
          type="button"
          className={styles.chip}
          aria-pressed={name === filter}
          onClick={() => onChange(name)}
        >
          {name}
        </button>
      ))}
    </fieldset>
  )
}
