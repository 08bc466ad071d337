import { Icon } from '../ui/icon.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import styles from './chat-list-panel.module.css'

interface SearchBoxProps {
  query: string
  onChange(query: string): void
  onFocus(): void
}

export function SearchBox({ query, onChange, onFocus }: SearchBoxProps) {
  return (
    <search className={styles.search}>
      <Icon name="search" size={18} />
      <input
        type="search"
        name="search"
        placeholder="Search or start a new chat"
        aria-label="Search or start a new chat"
        autoComplete="off"
        value={query}
        onChange={(event) => onChange(event.target.value)}
        onFocus={onFocus}
        onKeyDown={(event) => {
          if (event.key === 'Escape' && query !== '') {
            event.stopPropagation()
            onChange('')
          }
        }}
      />
      {query !== '' && (
        <IconButton
          className={styles.clear}
          icon="close"
          label="Clear search"
          isSmall
          onClick={() => onChange('')}
        />
      )}
    </search>
  )
}
