import { useEffect, useRef, useState } from 'react'
import { IconButton } from '../ui/buttons/icon-button.tsx'
import { isComposing } from '../ui/fields/is-composing.ts'
import { Icon } from '../ui/icons/icon.tsx'
import styles from './chat-list-panel.module.css'

interface SearchBoxProps {
  query: string
  onChange(query: string): void
  onFocus(): void
  /** Called on Enter: the search gets its own screen and URL. */
  onSubmit(): void
  /** Does it take the focus on mount? */
  isFirst: boolean
}

export function SearchBox({ query, onChange, onFocus, onSubmit, isFirst }: SearchBoxProps) {
  const field = useRef<HTMLInputElement>(null)
  const [isFocusWanted] = useState(isFirst)
  useEffect(() => {
    if (isFocusWanted) field.current?.focus()
  }, [isFocusWanted])
  return (
    <search className={styles.search}>
      <Icon name="search" size={18} />
      <input
        ref={field}
        type="search"
        name="search"
        enterKeyHint="search"
        placeholder="Search or start a new chat"
        aria-label="Search or start a new chat"
        autoComplete="off"
        value={query}
        onChange={(event) => onChange(event.target.value)}
        onFocus={onFocus}
        onKeyDown={(event) => {
          const isSubmit = event.key === 'Enter' && !isComposing(event.nativeEvent)
          if (isSubmit && query.trim() !== '') onSubmit()
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
