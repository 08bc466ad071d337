import { PetrelMark } from '../ui/icons/petrel-mark.tsx'
import { productName, productVersion } from '../ui/product.ts'
import styles from './settings.module.css'

export function AboutSection() {
  return (
    <section className={styles.about}>
      <PetrelMark size={96} />
      <h2>{productName}</h2>
      <p>Version {productVersion}</p>
      <p>© 2026 The {productName} authors. MIT licence.</p>
    </section>
  )
}
